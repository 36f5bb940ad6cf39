internal import Accounts
internal import TextCoding

extension Account {
    /// What it is for people.
    var state: String { isDisabled ? "disabled" : "enabled" }
}

extension PointInTime {
    /// As results tell it: `2026-03-01T09:05:00Z`.
    var text: String { Timestamp.rfc3339(milliseconds: milliseconds) }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes what an operator may know of an account; no hash.
    mutating func members(of account: Account) throws {
        try member("id", account.id.text)
        try member("email", account.email.text)
        try member("disabled", account.isDisabled)
        try member("created", milliseconds: account.created.milliseconds)
        try member("password_changed", milliseconds: account.passwordChanged.milliseconds)
    }
}
