internal import SecureStorage
internal import TextCoding

/// Further attributes as JSON: `[{"key":"url","text":"https://example.org"}]`, in TaskVault's JSON and in one column of its CSV.
enum AttributeList {
    /// Reads a whole text, or nil if it is anything else.
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
            return nil  // The caller says where it stands in the file.
        }
    }

    /// Reads the list where `reader` stands.
    static func read(
        _ reader: inout JSONReader<ExchangeError>, in bytes: RawSpan
    ) throws(ExchangeError) -> [ExtraAttribute] {
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
