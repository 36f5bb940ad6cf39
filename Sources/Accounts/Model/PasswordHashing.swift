public import Sealing

/// What derives hashes of passwords: the expensive part, which tests count and servers measure.
public protocol PasswordHashing: Sendable {
    /// Hashes a password with a new salt.
    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws(SealingError) -> PasswordHash

    /// Whether it is the password of a hash.
    func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws(SealingError) -> Bool
}

/// Argon2id by libsodium.
public struct Argon2idHashing: PasswordHashing {
    private let limits: KeyDerivationLimits

    /// Makes it with the costs that are accepted.
    public init(limits: KeyDerivationLimits = .standard()) {
        self.limits = limits
    }

    /// Hashes a password; see ``PasswordHashing/hash(_:cost:)``.
    public func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws(SealingError) -> PasswordHash {
        try limits.check(cost)
        return try PasswordHash.make(of: password.passphrase, cost: cost)
    }

    /// Verifies a password; see ``PasswordHashing/matches(_:_:)``.
    public func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws(SealingError) -> Bool {
        try hash.matches(password.passphrase, limits: limits)
    }
}
