public import Sealing
public import SecretMemory

/// The password of an account: UTF-8 in normalisation form C, in guarded memory.
///
/// The size is the only rule; no particular characters are required (NIST SP 800-63B, section 3.1.1.2).
public struct AccountPassword: ~Copyable, Sendable {
    /// The smallest and the largest size in normalisation form C, in bytes.
    public static let sizes = 8...Passphrase.maximumSize

    let passphrase: Passphrase

    /// Normalises a typed password.
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
        // A passphrase refuses the size of an empty and of a too long text.
        if typed.count == 0 { throw .tooShort }
        do {
            return try Passphrase(typed: typed)
        } catch SealingError.passphraseLength {
            throw .tooLong
        } catch SealingError.passphraseEncoding {
            throw .encoding
        } catch {
            throw .outOfMemory
        }
    }
}

/// Why a text is not accepted as a password.
public enum AccountPasswordError: Error, Sendable, Hashable {
    /// It has fewer than 8 bytes.
    case tooShort
    /// It has more than 1,024 bytes.
    case tooLong
    /// It is not UTF-8.
    case encoding
    /// Guarded memory is exhausted.
    case outOfMemory
}

/// Derives password hashes: the expensive part, which tests and the metrics count.
public protocol PasswordHashing: Sendable {
    /// Hashes a password with a new salt.
    ///
    /// - Throws: `SealingError`.
    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash

    /// Whether a hash is that of a password.
    ///
    /// - Throws: `SealingError`.
    func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool
}

/// Argon2id by libsodium.
public struct Argon2idHashing: PasswordHashing {
    private let limits: KeyDerivationLimits

    /// Makes it with limits for the cost.
    public init(limits: KeyDerivationLimits = .standard()) {
        self.limits = limits
    }

    /// Hashes a password; see ``PasswordHashing/hash(_:cost:)``.
    public func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        try limits.check(cost)
        return try PasswordHash.make(of: password.passphrase, cost: cost)
    }

    /// Verifies a password; see ``PasswordHashing/matches(_:_:)``.
    public func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool {
        try hash.matches(password.passphrase, limits: limits)
    }
}
