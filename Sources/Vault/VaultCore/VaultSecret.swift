public import Sealing
package import SecretMemory

/// The secret that verifies the owner: the master passphrase, a recovery code or the output of an authenticator.
public enum VaultSecret: ~Copyable, Sendable {
    /// The master passphrase.
    case passphrase(Passphrase)
    /// A recovery code.
    case recoveryCode(RecoveryCode)
    /// The 32 bytes that a security key or a passkey outputs for the salt of its slot.
    case authenticator(AuthenticatorOutput)

    /// Parses typed input, or the bytes of an authenticator.
    ///
    /// - Throws: As the initialisers of `Passphrase` and `RecoveryCode`; `VaultError.wrongKey` if the authenticator's output is not
    ///   32 bytes.
    package init(
        _ kind: KeySlotKind, typed: borrowing SecretBytes
    ) throws {
        switch kind {
        case .passphrase: self = .passphrase(try Passphrase(typed: typed))
        case .recoveryCode: self = .recoveryCode(try RecoveryCode(typed: typed))
        case .authenticator:
            guard typed.count == AuthenticatorOutput.size else { throw VaultError.wrongKey }
            self = .authenticator(AuthenticatorOutput(try typed.copy()))
        }
    }

    /// The kind of slot that this secret opens.
    public var kind: KeySlotKind {
        // The optimiser of Swift 6.3 crashes if it inlines this switch into an agent's request.
        @inline(never) get {
            switch self {
            case .passphrase: .passphrase
            case .recoveryCode: .recoveryCode
            case .authenticator: .authenticator
            }
        }
    }
}
