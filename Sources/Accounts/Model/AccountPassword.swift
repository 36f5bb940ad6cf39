internal import Sealing
public import SecretMemory

/// The password of an account: UTF-8 in normalisation form C, in guarded memory.
///
/// Its size is all that is asked for: no letters or digits that must be in it (NIST SP 800-63B, section 3.1.1.2).
public struct AccountPassword: ~Copyable, Sendable {
    /// The smallest and the largest size in normalisation form C, in bytes.
    public static let sizes = 8...Passphrase.maximumSize

    let passphrase: Passphrase

    /// Normalises what was typed.
    ///
    /// - Parameter typed: UTF-8.
    /// - Throws: `tooShort`, `tooLong`, `encoding`, `outOfMemory`.
    public init(typed: borrowing SecretBytes) throws(AccountPasswordError) {
        try self.init(Self.normalized(typed))
    }

    private init(_ passphrase: consuming Passphrase) throws(AccountPasswordError) {
        let size = passphrase.withBytes { $0.byteCount }
        guard size >= Self.sizes.lowerBound else { throw .tooShort }
        self.passphrase = passphrase
    }

    private static func normalized(
        _ typed: borrowing SecretBytes
    ) throws(AccountPasswordError) -> Passphrase {
        // What a passphrase refuses for its size is empty or too long.
        if typed.count == 0 { throw .tooShort }
        do throws(SealingError) {
            return try Passphrase(typed: typed)
        } catch {
            switch error {
            case .passphraseLength: throw .tooLong
            case .passphraseEncoding: throw .encoding
            default: throw .outOfMemory
            }
        }
    }
}

/// Why something is no password.
public enum AccountPasswordError: Error, Sendable, Hashable {
    /// It has fewer than 8 bytes.
    case tooShort
    /// It has more than 1,024 bytes.
    case tooLong
    /// It is not UTF-8.
    case encoding
    /// Memory is used up.
    case outOfMemory
}
