public import Sealing
package import SecretMemory

/// The secret that verifies the owner: the master passphrase or a recovery code.
public enum VaultSecret: ~Copyable, Sendable {
    /// The master passphrase.
    case passphrase(Passphrase)
    /// A recovery code.
    case recoveryCode(RecoveryCode)

    /// Parses typed input.
    ///
    /// - Throws: As the initialisers of `Passphrase` and `RecoveryCode`.
    package init(
        _ kind: KeySlotKind, typed: borrowing SecretBytes
    ) throws {
        switch kind {
        case .passphrase: self = .passphrase(try Passphrase(typed: typed))
        case .recoveryCode: self = .recoveryCode(try RecoveryCode(typed: typed))
        }
    }

    /// The kind of slot that this secret opens.
    public var kind: KeySlotKind {
        switch self {
        case .passphrase: .passphrase
        case .recoveryCode: .recoveryCode
        }
    }
}
