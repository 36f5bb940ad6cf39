/// A change of one secret, for ``SecureStore/change(_:)``.
public struct SecretChange: Sendable, Hashable {
    /// The kind of change.
    public enum Action: Sendable, Hashable {
        /// Changes the description; the value stays.
        case edit(SecretEdit)
        /// Removes the secret. It can be restored for some time, unless the removal is permanent.
        case remove(permanently: Bool)
    }

    /// An existing name.
    public var name: SecretName
    /// The revision that the caller expects; nil for any revision.
    public var revision: UInt64?
    /// The kind of change.
    public var action: Action

    /// Creates a change.
    public init(_ name: SecretName, expecting revision: UInt64?, _ action: Action) {
        self.name = name
        self.revision = revision
        self.action = action
    }
}
