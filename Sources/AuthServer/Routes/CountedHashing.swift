internal import Accounts
internal import Sealing

/// Counts how often a password is hashed or verified.
struct CountedHashing: PasswordHashing {
    let hashing: any PasswordHashing
    let count: @Sendable () -> Void

    func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws(SealingError) -> PasswordHash {
        count()
        return try hashing.hash(password, cost: cost)
    }

    func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws(SealingError) -> Bool {
        count()
        return try hashing.matches(password, hash)
    }
}
