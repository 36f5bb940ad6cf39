/// The arguments of the process, as they really are.
package enum Arguments {
    /// The arguments after the program's name.
    ///
    /// From the C array and not from `CommandLine.arguments`, which repairs invalid UTF-8 without a word: a repaired name is another name.
    ///
    /// - Throws: A failure of wrong usage that names the first argument that is not UTF-8.
    package static func fromProcess() throws(CommandFailure) -> [String] {
        var arguments: [[UInt8]] = []
        for index in 0..<Int(CommandLine.argc) {
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { break }
            var bytes: [UInt8] = []
            var offset = 0
            while case let byte = unsafe argument[offset], byte != 0 {
                bytes.append(UInt8(bitPattern: byte))
                offset += 1
            }
            arguments.append(bytes)
        }
        return try decode(Array(arguments.dropFirst()))
    }

    /// Whether errors are wanted as JSON, also where the arguments cannot be understood.
    static var wantJSON: Bool {
        CommandLine.arguments.prefix { $0 != "--" }.contains(OptionDescription.json.spelling)
    }

    /// Decodes arguments strictly; see ``fromProcess()``.
    static func decode(_ arguments: [[UInt8]]) throws(CommandFailure) -> [String] {
        var decoded: [String] = []
        for (index, bytes) in arguments.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .usage("argument \(index + 1) is not valid UTF-8")
            }
            decoded.append(text)
        }
        return decoded
    }
}
