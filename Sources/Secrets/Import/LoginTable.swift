internal import SecretMemory
internal import SecureStorage

/// Turns the records of another password manager's CSV into secrets.
///
/// One record can hold several secrets. Attributes are visible while the vault is unlocked, and notes, seeds of one-time passwords and
/// custom fields are as secret as the password, so each becomes an item of its own beside it:
///
/// | of a record | becomes |
/// | --- | --- |
/// | title, or else the host of the URL, or else `imported` | the service; the title also the label |
/// | user name | the account; for a record without one the kind of the item, such as `password` |
/// | password | the value of `SERVICE ACCOUNT`; an empty one too, unless the record has other secrets |
/// | notes, one-time password, custom fields, columns that nobody knows | values of `ACCOUNT (notes)`, `ACCOUNT (totp)`, … |
/// | URL | attribute `url`; with a password inside, or too long, a secret `ACCOUNT (url)` |
/// | folder, times, … | attributes; too long ones become secrets, too |
struct LoginTable {
    /// What each column is for; no two secrets of a record are of the same kind.
    let roles: [ColumnRole]

    private static let maximumKindSize = 64

    init(_ format: ExchangeFormat, columns: [String]) {
        let known = format.columnRoles
        // What a secret of another column may be called, see `LoginRecord`.
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

    /// Hands on the secrets of one record.
    func read(
        _ record: CSVRecord, in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws(ExchangeError) {
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
        } catch {
            return run.skip(login.line, .refused(error))
        }
        for (name, part) in zip(names, login.parts) {
            let secret = ImportedSecret(
                name: name, attributes: attributes, line: login.line, created: nil, modified: nil)
            try part.field.withSecret(in: bytes) { (value) throws(ExchangeError) in
                try run.deliver(secret, value, to: receive)
            }
        }
    }

    private func claimNames(
        of login: LoginRecord, _ service: NameText, _ run: inout ImportRun
    ) throws(SecureStoreError) -> [SecretName] {
        let account = NameText(login.account)
        var changes: [NameChange] = []
        let claim = try run.names.claim { (number) throws(SecureStoreError) in
            changes = service.changes
            var names: [SecretName] = []
            for part in login.parts {
                let text = Self.accountText(account, kind: part.kind, number: number)
                changes += text.changes
                names.append(try SecretName(service: service.text, account: text.text))
            }
            return names
        }
        run.note(login.line, claim.isNumbered ? changes + [.numbered] : changes)
        return claim.names
    }

    /// The account of one part: `alice`, `alice (2)`, `alice (2) (notes)`; without a user name `password`, `notes (2)`.
    private static func accountText(_ account: NameText, kind: String?, number: Int) -> NameText {
        var text = account.isBlank ? NameText(kind ?? "password") : account
        let ending = account.isBlank ? "" : kind.map { " (\($0))" } ?? ""
        text.append(NameRegistry.suffix(number) + ending)
        return text
    }

    /// An unknown column's name as the end of an account.
    private static func kind(_ column: String) -> String {
        var kind = NameText(column)
        kind.append(limit: maximumKindSize)
        return kind.isBlank ? "unnamed" : kind.text
    }
}
