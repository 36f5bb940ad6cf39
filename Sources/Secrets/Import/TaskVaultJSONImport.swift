internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Reads TaskVault's own JSON, which `SecretExporter` describes.
///
/// Every member must be there once; members that are not known are refused, because nothing may be lost silently.
enum TaskVaultJSONImport {
    static func read(
        _ bytes: RawSpan, _ receive: SecretReceiver
    ) throws(ExchangeError) -> ImportReport {
        var reader = JSONReader<ExchangeError>(bytes)
        var run = ImportRun(.taskVaultJSON)
        var seen: Set<String> = []
        while let key = try reader.nextKey(in: bytes, isFirst: seen.isEmpty) {
            guard seen.insert(key).inserted else { throw reader.unexpected(in: bytes) }
            switch key {
            case "format":
                guard try reader.text(in: bytes) == TaskVaultJSON.format else {
                    throw .unknownFormat
                }
            case "version":
                let version = try reader.number(in: bytes)
                guard version == TaskVaultJSON.version else { throw .unsupportedVersion(version) }
            case "items":
                // The items of a newer version may look different, so format and version stand before them.
                guard seen.count == 3 else { throw reader.unexpected(in: bytes) }
                var isFirst = true
                while try reader.nextElement(in: bytes, isFirst: isFirst) {
                    isFirst = false
                    try readItem(&reader, in: bytes, &run, receive)
                }
            default:
                throw seen.contains("format") ? reader.unexpected(in: bytes) : .unknownFormat
            }
        }
        guard seen.contains("items") else { throw reader.unexpected(in: bytes) }
        try reader.expectEnd(in: bytes)
        return run.report
    }

    private static func readItem(
        _ reader: inout JSONReader<ExchangeError>, in bytes: RawSpan, _ run: inout ImportRun,
        _ receive: SecretReceiver
    ) throws(ExchangeError) {
        guard try reader.nextKind(in: bytes) == .object else { throw reader.unexpected(in: bytes) }
        let line = reader.currentLine(in: bytes)
        var texts: [String: String] = [:]
        var extra: [ExtraAttribute]?
        var value: Range<Int>?
        var isFirst = true
        while let key = try reader.nextKey(in: bytes, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "service", "account", "label", "class", "created", "modified":
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
            let label = texts["label"], let extra, let value,
            let accessClass = texts["class"].flatMap(AccessClass.init(exchangeName:)),
            let created = texts["created"].flatMap(Timestamp.milliseconds),
            let modified = texts["modified"].flatMap(Timestamp.milliseconds)
        else { throw .invalidJSON(line: line) }
        let record = TaskVaultRecord(
            line: line, service: service, account: account,
            attributes: SecretAttributes(label: label, accessClass: accessClass, extra: extra),
            created: created, modified: modified)
        try SecretBufferPool.shared.withBuffer(
            count: value.count / 4 * 3, mapError: { _ in ExchangeError.outOfMemory }
        ) { (buffer) throws(ExchangeError) in
            guard Base64.decode(bytes.extracting(value), into: &buffer) else {
                throw .invalidJSON(line: line)
            }
            try record.deliver(buffer, &run, receive)
        }
    }
}
