internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Writes the items of TaskVault's own JSON.
enum TaskVaultJSON {
    static let format = "taskvault-export"
    static let version = 1
    /// What stands before the items.
    static let head = "{\"format\":\"\(format)\",\"version\":\(version),\"items\":["

    static func write<SinkFailure: Error>(
        _ item: SecretItem, _ value: borrowing SecretBytes,
        to output: inout ExportBuffer<SinkFailure>
    ) throws(ExportError<SinkFailure>) {
        let texts = [
            ("service", item.name.service), ("account", item.name.account),
            ("label", item.attributes.label), ("class", item.attributes.accessClass.exchangeName),
            ("created", Timestamp.text(item.created)), ("modified", Timestamp.text(item.modified)),
        ]
        let members = texts.map { "\"\($0)\":\(string($1))" }.joined(separator: ",")
        try output.append(
            "{\(members),\"extra\":\(list(item.attributes.extra)),\"value_base64\":\"")
        try value.withBytes { (bytes) throws(ExportError<SinkFailure>) in
            try output.appendBase64(bytes)
        }
        try output.append("\"}")
    }

    /// Further attributes as JSON.
    static func list(_ extra: [ExtraAttribute]) -> String {
        let elements = extra.map { "{\"key\":\(string($0.key)),\"text\":\(string($0.text))}" }
        return "[" + elements.joined(separator: ",") + "]"
    }

    /// A text with quotes around it; what JSON asks to escape is escaped, all else stands as it is.
    ///
    /// Not the terminal's JSON, which escapes whatever a terminal could act on: a file is read by programs, and its bytes do not change
    /// with a newer list of such characters.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
