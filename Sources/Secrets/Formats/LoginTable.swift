package import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The reader of another password manager's CSV.
///
/// One record becomes one entry. Attributes are visible while the vault is unlocked, but notes, seeds of one-time passwords and custom
/// fields are as secret as the password, so each becomes a field:
///
/// | part of a record | becomes |
/// | --- | --- |
/// | title, otherwise the host of the URL, otherwise `imported` | the service; the title is also the label |
/// | user name | the account; without one the name of the first field, such as `password` |
/// | password | the field `password`, also if it is empty and the record has no other secret |
/// | notes, one-time password, custom fields, unknown columns | the fields `notes`, `totp`, `fields`, and those of the columns' names |
/// | URL | attribute `url`; with a password inside, or too long, the field `url` |
/// | folder, times, … | attributes; long ones become fields |
struct LoginTable {
    /// The role of each column; no two secrets of a record have the same kind.
    let roles: [ColumnRole]

    private static let maximumKindSize = 64

    init(_ format: ExchangeFormat, columns: [String]) {
        let known = format.columnRoles
        // The kinds that `LoginRecord` uses for other columns.
        var kinds: Set<String> = ["password", "url"]
        for case .attribute(let key) in known.values { kinds.insert(key) }
        for case .flag(let key) in known.values { kinds.insert(key) }
        roles = columns.enumerated().map { index, column in
            let role = known[column] ?? .secret(Self.kind(column))
            guard case .secret(var kind) = role else { return role }
            var number = index + 1
            while !kinds.insert(kind).inserted {
                kind = "column \(number)"
                number += columns.count
            }
            return .secret(kind)
        }
    }

    /// Delivers the secrets of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        let login = try LoginRecord(record, roles: roles, in: bytes)
        if record.fields.allSatisfy(\.isEmpty) { return run.skip(record.line, .emptyRecord) }
        var label = NameText(login.title)
        label.append()
        var service = label
        if label.isBlank { service = NameText(login.host) }
        if service.isBlank { service = NameText("imported") }
        service.append()
        let attributes = SecretAttributes(label: label.text, extra: login.attributes)

        let names: [SecretName]
        do {
            names = try claimNames(of: login, service, &run)
        } catch let error as SecureStoreError {
            return run.skip(login.line, .refused(error))
        }
        for (name, part) in zip(names, login.parts) {
            let secret = ImportedSecret(
                name: name, attributes: attributes, line: login.line, created: nil, modified: nil)
            try part.value.withSecret(in: bytes) { (value) throws in
                try run.deliver(secret, value, to: receive)
            }
        }
    }

    private func claimNames(
        of login: LoginRecord, _ service: NameText, _ run: inout ImportRun
    ) throws -> [SecretName] {
        let typed = NameText(login.account)
        let plain = typed.isBlank ? NameText(login.parts[0].field) : typed
        var changes: [NameChange] = []
        // The field `password` stands for the entry, so that no two records share one.
        let claim = try run.names.claim { number in
            var account = plain
            account.append(NameRegistry.suffix(number))
            changes = service.changes + account.changes
            let entry = try SecretName(service: service.text, account: account.text)
            return [entry] + (try login.parts.map { try entry.with(field: $0.field) })
        }
        run.note(login.line, claim.isNumbered ? changes + [.numbered] : changes)
        return Array(claim.names.dropFirst())
    }

    /// The name of an unknown column as a field.
    private static func kind(_ column: String) -> String {
        var kind = NameText(column)
        kind.append(limit: maximumKindSize)
        return kind.isBlank ? "unnamed" : kind.text
    }
}

/// One record, by the roles of its columns.
struct LoginRecord {
    /// The largest attribute, in bytes. Longer ones become fields, so that all attributes together fit.
    static let maximumAttributeSize = 4_096

    let line: Int
    private(set) var title = ""
    private(set) var account = ""
    private(set) var host = ""
    private(set) var attributes: [ExtraAttribute] = []
    /// The secrets, at least one, the password first.
    private(set) var parts: [Part] = []

    /// One secret of a record.
    struct Part {
        /// The field of the entry.
        let field: String
        /// The place of the value.
        let value: CSVField
    }

    init(
        _ record: CSVRecord, roles: [ColumnRole], in bytes: RawSpan
    ) throws {
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
        // An empty password counts, unless the record has other secrets, as a note has.
        if !password.isEmpty || parts.isEmpty {
            parts.insert(Part(field: SecretName.standardField, value: password), at: 0)
        }
    }

    private mutating func addSecret(_ kind: String, _ field: CSVField) {
        if !field.isEmpty { parts.append(Part(field: kind, value: field)) }
    }

    private mutating func add(
        _ key: String, _ field: CSVField, column: Int, in bytes: RawSpan
    ) throws {
        if field.size > Self.maximumAttributeSize {
            addSecret(key, field)
        } else if !field.isEmpty {
            let text = try field.text(in: bytes, line: line, column: column)
            attributes.append(ExtraAttribute(key: key, text: text))
        }
    }

    private mutating func addAddress(
        _ field: CSVField, column: Int, in bytes: RawSpan
    ) throws {
        let url = bytes.extracting(field.range)
        guard let host = url.extracting(WebAddress.host(in: url)).text() else {
            throw ExchangeError.invalidText(line: line, column: column)
        }
        self.host = host
        if WebAddress.hasPassword(url) {
            addSecret("url", field)
        } else {
            try add("url", field, column: column, in: bytes)
        }
    }
}

/// Finds parts of a URL, to name a login. It is not a full parser.
package enum WebAddress {
    /// The text of an address that is not secret, to be an attribute.
    ///
    /// - Returns: nil for an address with a password inside, one of more than 4 KiB, and bytes that are not one line of text.
    package static func attribute(of value: borrowing SecretBytes) -> String? {
        value.withBytes { bytes in
            var end = bytes.byteCount
            if end > 0, bytes[end - 1] == Byte.lineFeed { end -= 1 }
            if end > 0, bytes[end - 1] == Byte.carriageReturn { end -= 1 }
            let line = bytes.extracting(0..<end)
            guard (1...LoginRecord.maximumAttributeSize).contains(end), !hasPassword(line),
                (0..<end).allSatisfy({ line[$0] >= 0x20 && line[$0] != 0x7F })
            else { return nil }
            return line.text()
        }
    }

    /// The range of the host, such as `example.org` in `https://user@example.org:8443/login`; empty if there is none.
    static func host(in url: RawSpan) -> Range<Int> {
        let authority = authority(in: url)
        var start = authority.lowerBound
        for offset in authority where url[offset] == UInt8(ascii: "@") { start = offset + 1 }
        var end = start
        var isBracketed = false  // An IPv6 address has colons.
        while end < authority.upperBound {
            if url[end] == UInt8(ascii: "[") { isBracketed = true }
            if url[end] == UInt8(ascii: "]") { isBracketed = false }
            if url[end] == Byte.colon, !isBracketed { break }
            end += 1
        }
        return start..<end
    }

    /// Whether there is a password before the host: `https://user:password@example.org`.
    static func hasPassword(_ url: RawSpan) -> Bool {
        let userEnd = host(in: url).lowerBound
        return (authority(in: url).lowerBound..<userEnd).contains { url[$0] == Byte.colon }
    }

    /// The range between `//` and the path. A text without a scheme is host and path.
    private static func authority(in url: RawSpan) -> Range<Int> {
        var start = 0
        for offset in 0..<url.byteCount where url.hasText("://", at: offset) {
            start = offset + 3
            break
        }
        var end = start
        while end < url.byteCount, !"/?#".utf8.contains(url[end]) { end += 1 }
        return start..<end
    }
}
