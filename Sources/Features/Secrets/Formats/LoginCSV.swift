internal import TextCoding

/// The reader of another password manager's CSV. A record becomes an entry, see ``ImportedRecord``.
struct LoginCSV {
    private let format: ExchangeFormat
    private let columns: [String]
    private let roles: [ColumnRole]
    private static let loginRoles: [ColumnRole] = [.title, .account, .password, .url]

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
            let value = ImportedValue(.csv(field))
            var isText = true
            if format == .keePassXC,
                try value.isReference(in: bytes, also: Self.loginRoles.contains(roles[index]))
            {
                login.unsupported.append(.link)
                if roles[index] == .password { login.lacksPassword = true }
                continue
            }
            switch roles[index] {
            case .ignored: break
            case .title: login.title = try text(index, record, in: bytes)
            case .account: login.account = try text(index, record, in: bytes)
            case .password: login.password = value
            case .secret(let kind): login.add(kind, value)
            case .own: login.addOwn(columns[index], value)
            case .url:
                for part in format == .bitwarden ? field.addresses(in: bytes) : [field] {
                    isText = try login.addAddress(ImportedValue(.csv(part)), in: bytes) && isText
                }
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

    /// The folder of a path. In KeePassXC the path starts with the database's root group.
    private static func folder(_ path: String, _ format: ExchangeFormat) -> String {
        guard format == .keePassXC else { return path }
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[path.utf8.index(after: slash)...])
    }
}

extension CSVField {
    /// The URLs that Bitwarden has joined with commas.
    ///
    /// A comma within a path belongs to the URL, unless a scheme follows.
    fileprivate func addresses(in bytes: RawSpan) -> [CSVField] {
        var parts: [CSVField] = []
        var start = range.lowerBound
        func add(upTo end: Int) {
            let quotes = (start..<end).count { bytes[$0] == Byte.quote }
            parts.append(CSVField(range: start..<end, doubledQuotes: quotes / 2))
        }
        for place in range where bytes[place] == Byte.comma {
            guard isAddress(start..<place, before: place + 1, in: bytes) else { continue }
            add(upTo: place)
            start = place + 1
        }
        add(upTo: range.upperBound)
        return parts
    }

    /// Whether a comma ends this URL: it has no path yet, or another scheme follows.
    private func isAddress(_ part: Range<Int>, before next: Int, in bytes: RawSpan) -> Bool {
        var authority = part.lowerBound
        for place in part where bytes.hasText("://", at: place) {
            authority = place + 3
            break
        }
        let hasPath = (authority..<part.upperBound).contains { "/?#".utf8.contains(bytes[$0]) }
        if !hasPath { return true }
        var end = next
        while end < range.upperBound, bytes[end] != Byte.comma, bytes[end] != UInt8(ascii: "/") {
            if bytes.hasText("://", at: end) { return end > next }
            end += 1
        }
        return false
    }
}
