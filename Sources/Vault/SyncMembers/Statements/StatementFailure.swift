/// Why a statement does not count. The raw value is the name in `Docs/Sync.md`.
package enum StatementFailure: String, Error, Sendable, Hashable, CaseIterable {
    /// The file exceeds the limit of a statement.
    case tooLong = "statement_too_long"
    /// The magic bytes are wrong.
    case magic = "statement_magic"
    /// The format is 0.
    case format = "statement_format"
    /// The format is later than this program's.
    case laterFormat = "statement_later_format"
    /// The kind is unknown.
    case kind = "statement_kind"
    /// The rest is malformed.
    case content = "statement_content"
    /// The statement is that of another group.
    case group = "statement_group"
    /// A statement that it names is missing, or has one of these failures.
    case seen = "statement_seen"
    /// The author had not seen the statement that made it a member.
    case author = "statement_author"
    /// The signature is not the author's.
    case signature = "statement_signature"
    /// The newcomer did not sign its keys and the group.
    case consent = "statement_consent"
    /// It names a member that its author had not seen.
    case member = "statement_member"
    /// The author had seen 16 devices before it added one.
    case full = "statement_full"
    /// A remove counts that its author had not seen, or that made its author no member.
    case removed = "statement_removed"
}
