/// Who may make accounts.
enum Registration: String, CaseIterable, Sendable {
    /// Whoever the operator invited.
    case invitation
    /// Everybody.
    case open
}
