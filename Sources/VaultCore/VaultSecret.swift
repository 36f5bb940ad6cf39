public import VaultSealing

/// What proves the owner: the master passphrase or a recovery code.
public enum VaultSecret: ~Copyable, Sendable {
    /// The master passphrase.
    case passphrase(Passphrase)
    /// A recovery code.
    case recoveryCode(RecoveryCode)

    /// The kind of slot that it opens.
    public var kind: KeySlotKind {
        switch self {
        case .passphrase: .passphrase
        case .recoveryCode: .recoveryCode
        }
    }
}
