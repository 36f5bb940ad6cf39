/// A change of one secret, for ``SecureStore/change(_:)``.
public struct SecretChange: Sendable, Hashable {
    /// What is done to the secret.
    public enum Action: Sendable, Hashable {
        /// Its description changes, and its value stays.
        case edit(SecretEdit)
        /// It is removed; it can be brought back for some time unless it is removed permanently.
        case remove(permanently: Bool)
    }

    /// An existing name.
    public var name: SecretName
    /// The revision that the caller expects; nil for any revision.
    public var revision: UInt64?
    /// What is done.
    public var action: Action

    /// Creates a change.
    public init(_ name: SecretName, expecting revision: UInt64?, _ action: Action) {
        self.name = name
        self.revision = revision
        self.action = action
    }
}
