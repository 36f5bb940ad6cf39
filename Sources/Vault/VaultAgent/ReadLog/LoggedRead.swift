public import SecureStorage

/// A logged read of a secret.
public struct LoggedRead: Sendable, Hashable {
    /// The time, in milliseconds since 1970-01-01 UTC.
    public var time: Int64
    /// The reading program.
    public var reader: ReadingProgram
    /// The secret; a file has the service `taskvault.file`.
    public var name: SecretName
}
