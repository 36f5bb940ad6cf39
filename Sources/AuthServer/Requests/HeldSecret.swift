internal import Accounts
internal import SecretMemory

/// A secret that was sent, in guarded memory, for a function that runs later.
final class HeldSecret: Sendable {
    private let bytes: SecretBytes?

    init(_ bytes: consuming SecretBytes?) {
        self.bytes = bytes
    }

    /// Whether none was sent.
    var isMissing: Bool { bytes == nil }

    /// The secret as a password.
    ///
    /// - Throws: Why it cannot be one.
    func password() throws(AccountPasswordError) -> AccountPassword {
        switch bytes {
        case .some(let bytes): try AccountPassword(typed: bytes)
        case .none: throw .tooShort
        }
    }
}
