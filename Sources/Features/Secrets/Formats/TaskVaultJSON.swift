internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// TaskVault's JSON, see ``SecretExporter``.
///
/// An item must have each member exactly once. Unknown members are rejected, because they would be
/// lost.
enum TaskVaultJSON {
    static let format = "taskvault-export"
    static let version = 1
    /// The text before the items.
    static let head = "{\"format\":\"\(format)\",\"version\":\(version),\"items\":["

    /// Writes one item.
    static func write(
        _ item: SecretItem, _ value: borrowing SecretBytes, to output: inout ExportBuffer
    ) throws {
        let texts = [
            ("service", item.name.service), ("account", item.name.account),
            ("field", item.name.field), ("label", item.attributes.label),
            ("class", item.attributes.accessClass.exchangeName),
            ("created", Timestamp.text(item.created)), ("modified", Timestamp.text(item.modified)),
        ]
        let members = texts.map { "\"\($0)\":\(string($1))" }.joined(separator: ",")
        try output.append(
            "{\(members),\"extra\":\(list(item.attributes.extra)),\"value_base64\":\"")
        try value.withBytes { (bytes) throws in
            try output.appendBase64(bytes)
        }
        try output.append("\"}")
    }

    /// Additional attributes as JSON.
    static func list(_ extra: [ExtraAttribute]) -> String {
        let elements = extra.map { "{\"key\":\(string($0.key)),\"text\":\(string($0.text))}" }
        return "[" + elements.joined(separator: ",") + "]"
    }

    /// A text in quotes, with only the escapes that JSON requires.
    ///
    /// The terminal's JSON also escapes all control characters. In a file, the bytes must not
    /// change with newer versions of Unicode.
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

    /// Reads a whole file.
    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = JSONReader<ExchangeError>(bytes)
        var run = ImportRun(.taskVaultJSON, mode)
        var seen: Set<String> = []
        while let key = try reader.nextKey(in: bytes, isFirst: seen.isEmpty) {
            guard seen.insert(key).inserted else { throw reader.unexpected(in: bytes) }
            switch key {
            case "format":
                guard try reader.text(in: bytes) == TaskVaultJSON.format else {
                    throw ExchangeError.unknownFormat
                }
            case "version":
                let version = try reader.number(in: bytes)
                guard version == TaskVaultJSON.version else {
                    throw ExchangeError.unsupportedVersion(version)
                }
            case "items":
                // Format and version come first, because a newer version may have other items.
                guard seen.count == 3 else { throw reader.unexpected(in: bytes) }
                var isFirst = true
                while try reader.nextElement(in: bytes, isFirst: isFirst) {
                    isFirst = false
                    try readItem(&reader, in: bytes, &run, receive)
                }
            default:
                throw seen.contains("format")
                    ? reader.unexpected(in: bytes) : ExchangeError.unknownFormat
            }
        }
        guard seen.contains("items") else { throw reader.unexpected(in: bytes) }
        try reader.expectEnd(in: bytes)
        return run
    }

    private static func readItem(
        _ reader: inout JSONReader<ExchangeError>, in bytes: RawSpan, _ run: inout ImportRun,
        _ receive: SecretReceiver
    ) throws {
        guard try reader.nextKind(in: bytes) == .object else { throw reader.unexpected(in: bytes) }
        let line = reader.currentLine(in: bytes)
        var texts: [String: String] = [:]
        var extra: [ExtraAttribute]?
        var value: Range<Int>?
        var isFirst = true
        while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "service", "account", "field", "label", "class", "created", "modified":
                guard texts[key] == nil else { throw reader.unexpected(in: bytes) }
                texts[key] = try reader.text(in: bytes)
            case "extra" where extra == nil:
                extra = try AttributeList.read(&reader, in: bytes)
            case "value_base64" where value == nil:
                value = try reader.plainString(in: bytes)
            default:
                throw reader.unexpected(in: bytes)
            }
        }
        guard let service = texts["service"], let account = texts["account"],
            let field = texts["field"], let label = texts["label"], let extra, let value,
            let accessClass = texts["class"].flatMap(AccessClass.init(exchangeName:)),
            let created = texts["created"].flatMap(Timestamp.milliseconds),
            let modified = texts["modified"].flatMap(Timestamp.milliseconds)
        else { throw ExchangeError.invalidJSON(line: line) }
        let record = TaskVaultRecord(
            line: line, service: service, account: account, field: field,
            attributes: SecretAttributes(label: label, accessClass: accessClass, extra: extra),
            created: created, modified: modified)
        try SecretBufferPool.shared.withBuffer(count: value.count / 4 * 3) { buffer in
            guard Base64.decode(bytes.extracting(value), .standard, into: &buffer) else {
                throw ExchangeError.invalidJSON(line: line)
            }
            try record.deliver(buffer, &run, receive)
        }
    }
}

/// Additional attributes as JSON in both of TaskVault's formats:
/// `[{"key":"url","text":"https://example.org"}]`.
enum AttributeList {
    /// Reads a whole text; nil if it is invalid.
    static func read(_ text: String) -> [ExtraAttribute]? {
        let bytes = Array(text.utf8)
        // Safe: the array outlives the span.
        let span = unsafe bytes.span.bytes
        var reader = JSONReader<ExchangeError>(span)
        do {
            let list = try read(&reader, in: span)
            try reader.expectEnd(in: span)
            return list
        } catch {
            return nil  // The caller reports the place in the file.
        }
    }

    /// Reads the list at the reader's position.
    static func read(
        _ reader: inout JSONReader<ExchangeError>, in bytes: RawSpan
    ) throws -> [ExtraAttribute] {
        var list: [ExtraAttribute] = []
        while try reader.nextElement(in: bytes, isFirst: list.isEmpty) {
            var key: String?
            var text: String?
            var isFirst = true
            while let member = try reader.nextKey(in: bytes, isFirst: isFirst) {
                isFirst = false
                switch member {
                case "key" where key == nil: key = try reader.text(in: bytes)
                case "text" where text == nil: text = try reader.text(in: bytes)
                default: throw reader.unexpected(in: bytes)
                }
            }
            guard let key, let text else { throw reader.unexpected(in: bytes) }
            list.append(ExtraAttribute(key: key, text: text))
        }
        return list
    }
}
