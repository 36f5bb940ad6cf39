internal import TextCoding

/// The unmodified arguments of the process.
package enum Arguments {
    /// The arguments after the program's name.
    ///
    /// Uses the C array instead of `CommandLine.arguments`, which silently repairs invalid UTF-8: a repaired name is another name.
    ///
    /// - Throws: A usage error that names the first argument that is not UTF-8.
    package static func fromProcess() throws -> [String] {
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

    /// Whether to print errors as JSON, even if the arguments are invalid.
    static var wantJSON: Bool {
        CommandLine.arguments.prefix { $0 != "--" }.contains(OptionDescription.json.spelling)
    }

    /// Decodes arguments strictly; see ``fromProcess()``.
    static func decode(_ arguments: [[UInt8]]) throws -> [String] {
        var decoded: [String] = []
        for (index, bytes) in arguments.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure.usage("argument \(index + 1) is not valid UTF-8")
            }
            decoded.append(text)
        }
        return decoded
    }
}
