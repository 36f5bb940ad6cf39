internal import SecureStorage
internal import TextCoding

/// One record of another password manager's CSV, sorted by what its columns are for.
struct LoginRecord {
    /// Longer attributes become secrets, so that all attributes together always fit.
    static let maximumAttributeSize = 4_096

    let line: Int
    private(set) var title = ""
    private(set) var account = ""
    private(set) var host = ""
    private(set) var attributes: [ExtraAttribute] = []
    /// The secrets, the password first; never none.
    private(set) var parts: [Part] = []

    /// One secret of a record.
    struct Part {
        /// What the account ends with; nil for the password.
        let kind: String?
        /// Where the value stands.
        let field: CSVField
    }

    init(
        _ record: CSVRecord, roles: [ColumnRole], in bytes: RawSpan
    ) throws(ExchangeError) {
        line = record.line
        var password = CSVField(range: 0..<0, doubledQuotes: 0)
        for (index, field) in record.fields.enumerated() {
            switch roles[index] {
            case .ignored: continue
            case .title: title = try field.text(in: bytes, line: line, column: index + 1)
            case .account: account = try field.text(in: bytes, line: line, column: index + 1)
            case .password: password = field
            case .secret(let kind): addSecret(kind, field)
            case .url: try addAddress(field, column: index + 1, in: bytes)
            case .attribute(let key): try add(key, field, column: index + 1, in: bytes)
            case .flag(let key):
                let isUnset = field.size == 1 && bytes[field.range.lowerBound] == Byte.zero
                if !isUnset { try add(key, field, column: index + 1, in: bytes) }
            }
        }
        attributes.sort { $0.key < $1.key }
        // An empty password is a value as well, unless the record was made for something else, such as a note.
        if !password.isEmpty || parts.isEmpty {
            parts.insert(Part(kind: nil, field: password), at: 0)
        }
    }

    private mutating func addSecret(_ kind: String, _ field: CSVField) {
        if !field.isEmpty { parts.append(Part(kind: kind, field: field)) }
    }

    private mutating func add(
        _ key: String, _ field: CSVField, column: Int, in bytes: RawSpan
    ) throws(ExchangeError) {
        if field.size > Self.maximumAttributeSize {
            addSecret(key, field)
        } else if !field.isEmpty {
            let text = try field.text(in: bytes, line: line, column: column)
            attributes.append(ExtraAttribute(key: key, text: text))
        }
    }

    private mutating func addAddress(
        _ field: CSVField, column: Int, in bytes: RawSpan
    ) throws(ExchangeError) {
        let url = bytes.extracting(field.range)
        guard let host = url.extracting(WebAddress.host(in: url)).text() else {
            throw .invalidText(line: line, column: column)
        }
        self.host = host
        if WebAddress.hasPassword(url) {
            addSecret("url", field)
        } else {
            try add("url", field, column: column, in: bytes)
        }
    }
}
