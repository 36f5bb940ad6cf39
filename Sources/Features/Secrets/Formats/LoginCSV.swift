internal import TextCoding

/// The reader of another password manager's CSV. A record becomes an entry, see ``ImportedRecord``.
struct LoginCSV {
    private let header: CSVHeader
    private let columns: [String]
    private let roles: [ColumnRole]
    private static let loginRoles: [ColumnRole] = [.title, .account, .password, .url]
    /// The fields of Proton Pass's cards. Other members keep their names with hyphens.
    private static let cardFields = [
        "cardholderName": "holder", "verificationNumber": "code", "expirationDate": "expiry",
        "note": "notes",
    ]

    init(_ header: CSVHeader, columns: [String]) {
        self.header = header
        self.columns = columns
        roles = columns.map { header.roles[$0] ?? .own }
    }

    /// A record during parsing.
    private struct Login {
        var record: ImportedRecord
        var isNote = true
        /// The value in the column of the kind.
        var type = ""
        var accounts: [(field: String, value: ImportedValue)] = []
        var titles: [(field: String, value: ImportedValue)] = []
    }

    /// Delivers the secrets of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        var login = Login(record: ImportedRecord(line: record.line))
        if record.fields.allSatisfy(\.isEmpty) {
            return run.skip(record.line, .emptyRecord, "")
        }
        do {
            for (index, field) in record.fields.enumerated() where !field.isEmpty {
                try read(field, at: index, of: record, into: &login, in: bytes)
            }
            try finish(&login, in: bytes)
        } catch ExchangeError.invalidText {
            return run.skip(record.line, .damagedText, login.record.heading)
        }
        if roles.dropFirst(record.fields.count).contains(where: \.isNeeded) {
            // Later columns may be others, so what stands where the title should be may be a secret.
            let title = roles.first == .title ? login.record.heading : ""
            return run.skip(record.line, .cutOff, title)
        }
        try login.record.deliver(in: bytes, &run, receive)
    }

    private func read(
        _ field: CSVField, at index: Int, of record: CSVRecord, into login: inout Login,
        in bytes: RawSpan
    ) throws {
        let value = ImportedValue(.csv(field))
        let role = roles[index]
        var isText = true
        func text() throws -> String {
            try field.text(in: bytes, line: record.line, column: index + 1)
        }
        if header.format == .keePassXC,
            try value.isReference(in: bytes, also: Self.loginRoles.contains(role))
        {
            login.record.unsupported.append(.link)
            if role == .password { login.record.lacksPassword = true }
            return
        }
        if header.format == .lastPass {
            let isNote = field.size == 9 && bytes.hasText("http://sn", at: field.range.lowerBound)
            if role == .url, isNote { return }
            if field.hasEntities(in: bytes) { login.record.doubts.append(.entities) }
        }
        switch role {
        case .ignored: break
        case .title: login.record.title = try text()
        case .account: login.record.account = try text()
        case .password: login.record.password = value
        case .otherAccount(let name): login.accounts.append((name, value))
        case .otherTitle(let name): login.titles.append((name, value))
        case .secret(let kind): login.record.add(kind, value)
        case .own: login.record.addOwn(columns[index], value)
        case .url, .urls:
            for part in role == .urls ? field.addresses(in: bytes) : [field] {
                isText =
                    try login.record.addAddress(ImportedValue(.csv(part)), in: bytes) && isText
            }
        case .attribute(let key): isText = try login.record.addAttribute(key, value, in: bytes)
        case .time(let key):
            let seconds = Int64(try text())
            login.record.addAttribute(
                key,
                try seconds.flatMap { $0.magnitude < 1 << 40 ? $0 : nil }.map {
                    Timestamp.rfc3339(milliseconds: $0 * 1_000)
                } ?? text())
        case .flag(let key):
            if try !["0", "false"].contains(text().lowercased()) {
                isText = try login.record.addAttribute(key, value, in: bytes)
            }
        case .protection:
            login.record.isProtected = try !["0", "false"].contains(text().lowercased())
        case .kind: login.type = try text()
        case .group: login.record.addTag(folder(try text()))
        case .tags(let separators):
            for tag in try text().split(whereSeparator: { separators.contains($0) }) {
                login.record.addTag(String(tag))
            }
        }
        guard isText else {
            throw ExchangeError.invalidText(line: record.line, column: index + 1)
        }
        if [.account, .password, .url, .urls].contains(role) { login.isNote = false }
    }

    /// Fills an empty account and title, and determines the kind.
    private func finish(_ login: inout Login, in bytes: RawSpan) throws {
        for (field, value) in login.accounts {
            login.isNote = false
            if login.type == "alias" || !login.record.account.isEmpty {
                login.record.add(field, value)
            }
            if login.record.account.isEmpty {
                login.record.account = try value.text(in: bytes) ?? ""
            }
        }
        for (field, value) in login.titles {
            if login.record.title.isEmpty, let title = try value.text(in: bytes) {
                login.record.title = title
            } else {
                login.record.add(field, value)
            }
        }
        switch login.type {
        case "", "login": login.record.kind = header.kind ?? (login.isNote ? .note : .login)
        case "note": login.record.kind = .note
        case "creditCard": login.record.kind = .card
        case "identity": login.record.kind = .identity
        case "sshKey": login.record.kind = .sshKey
        default: login.record.kind = .other
        }
        if login.record.kind == .card || login.record.kind == .identity,
            header.format == .protonPass
        {
            try login.record.expandNotes(Self.cardFields, in: bytes)
        }
    }

    /// The folder of a path. In KeePassXC the path starts with the database's root group.
    private func folder(_ path: String) -> String {
        guard header.format == .keePassXC else { return path }
        guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
        return String(path[path.utf8.index(after: slash)...])
    }
}

extension CSVField {
    /// Whether the field has one of the entities of HTML that LastPass writes.
    fileprivate func hasEntities(in bytes: RawSpan) -> Bool {
        range.contains { place in
            bytes[place] == UInt8(ascii: "&")
                && (bytes.hasText("&amp;", at: place) || bytes.hasText("&lt;", at: place)
                    || bytes.hasText("&gt;", at: place) || bytes.hasText("&quot;", at: place)
                    || bytes.hasText("&#39;", at: place))
        }
    }

    /// The URLs that Bitwarden or Proton Pass has joined with commas.
    ///
    /// A comma within a path belongs to the URL, unless a scheme follows.
    fileprivate func addresses(in bytes: RawSpan) -> [CSVField] {
        var parts: [CSVField] = []
        var start = range.lowerBound
        func add(upTo end: Int) {
            while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
            if start == end { return }
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
