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
    /// - Throws: ``AccountError/passwordTooShort``, ``AccountError/passwordTooLong``, ``AccountError/passwordEncoding``;
    ///   `SealingError.outOfMemory`.
    public init(typed: borrowing SecretBytes) throws {
        try self.init(Self.normalized(typed))
    }

    private init(_ passphrase: consuming Passphrase) throws {
        let size = passphrase.withBytes { $0.byteCount }
        guard size >= Self.sizes.lowerBound else { throw AccountError.passwordTooShort }
        self.passphrase = passphrase
    }

    private static func normalized(_ typed: borrowing SecretBytes) throws -> Passphrase {
        // A passphrase refuses the size of an empty and of a too long text.
        if typed.count == 0 { throw AccountError.passwordTooShort }
        do {
            return try Passphrase(typed: typed)
        } catch SealingError.passphraseLength {
            throw AccountError.passwordTooLong
        } catch SealingError.passphraseEncoding {
            throw AccountError.passwordEncoding
        }
    }
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
