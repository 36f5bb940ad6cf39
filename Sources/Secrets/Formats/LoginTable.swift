internal import TextCoding

/// The reader of another password manager's CSV; a record becomes an entry as ``ImportedRecord`` describes.
struct LoginTable {
    private let format: ExchangeFormat
    private let columns: [String]
    private let roles: [ColumnRole]

    init(_ format: ExchangeFormat, columns: [String]) {
        let known = format.columnRoles
        self.format = format
        self.columns = columns
        roles = columns.map { known[$0] ?? .own }
    }

    /// Delivers the secrets of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        if record.fields.allSatisfy(\.isEmpty) { return run.skip(record.line, .emptyRecord) }
        var login = ImportedRecord(line: record.line)
        var isNote = true
        for (index, field) in record.fields.enumerated() where !field.isEmpty {
            let value = FileValue(.csv(field))
            var isText = true
            switch roles[index] {
            case .ignored: break
            case .title: login.title = try text(index, record, in: bytes)
            case .account: login.account = try text(index, record, in: bytes)
            case .password: login.password = value
            case .secret(let kind): login.add(kind, value)
            case .own: login.addOwn(columns[index], value)
            case .url: isText = try login.addAddress(value, in: bytes)
            case .attribute(let key): isText = try login.addAttribute(key, value, in: bytes)
            case .flag(let key):
                let isUnset = ["0", "false"].contains(try text(index, record, in: bytes))
                if !isUnset { isText = try login.addAttribute(key, value, in: bytes) }
            case .group: login.addTag(Self.folder(try text(index, record, in: bytes), format))
            case .tags(let separators):
                for tag in try text(index, record, in: bytes).split(whereSeparator: {
                    separators.contains($0)
                }) {
                    login.addTag(String(tag))
                }
            }
            guard isText else {
                throw ExchangeError.invalidText(line: record.line, column: index + 1)
            }
            if [.account, .password, .url].contains(roles[index]) { isNote = false }
        }
        if isNote { login.kind = .note }
        try login.deliver(in: bytes, &run, receive)
    }

    private func text(_ index: Int, _ record: CSVRecord, in bytes: RawSpan) throws -> String {
        try record.fields[index].text(in: bytes, line: record.line, column: index + 1)
    }

    /// The folder of a path. KeePassXC begins it with the name of the database's root.
    private static func folder(_ path: String, _ format: ExchangeFormat) -> String {
        guard format == .keePassXC else { return path }
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[path.utf8.index(after: slash)...])
    }
}
