internal import Platform
internal import TextCoding

/// The unmodified arguments of the process.
package enum Arguments {
    /// The arguments after the program's name.
    ///
    /// - Throws: A usage error that names the first argument that is not UTF-8.
    package static func fromProcess() throws -> [String] {
        try decode(Array(ProcessArguments.bytes.dropFirst()))
    }

    /// Whether to print errors as JSON, even if the arguments are invalid.
    static var wantJSON: Bool {
        ProcessArguments.texts.prefix { $0 != "--" }.contains(OptionDescription.json.spelling)
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
