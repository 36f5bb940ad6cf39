/// The value of a parameter; nil is NULL.
public enum DatabaseValue: Sendable, Hashable {
    /// For `bytea`.
    case bytes([UInt8]?)
    /// For `bigint`.
    case integer(Int64?)
    /// For `text`; without U+0000, which PostgreSQL refuses.
    case text(String?)
}
