package import Accounts
package import Sealing
internal import Synchronization

/// Argon2id at any cost, which records its derivations. Thread-safe.
package final class CountingHashing: PasswordHashing {
    /// One derivation.
    package enum Derivation: Sendable, Hashable {
        /// A new hash was made.
        case hash(KeyDerivationCost)
        /// A password was verified.
        case match(KeyDerivationCost)
    }

    private struct State {
        var derivations: [Derivation] = []
        var failure: SealingError?
        var failureOfHashing: SealingError?
        var change: (@Sendable () throws -> Void)?
    }

    private let state = Mutex(State())
    private let hashing = Argon2idHashing(limits: .testing)

    package init() {}

    /// The derivations since the last call of ``forget()``.
    package var derivations: [Derivation] { state.withLock { $0.derivations } }

    /// The number of verified passwords.
    package var verifications: Int {
        derivations.count { if case .match = $0 { true } else { false } }
    }

    /// Forgets the derivations.
    package func forget() {
        state.withLock { $0.derivations = [] }
    }

    /// Makes all following derivations fail; nil ends that.
    package func fail(with error: SealingError?) {
        state.withLock { $0.failure = error }
    }

    /// Makes new hashes fail; nil ends that.
    package func failHashing(with error: SealingError?) {
        state.withLock { $0.failureOfHashing = error }
    }

    /// Runs `change` once, after the next password was verified and before its result is used.
    package func afterVerifying(_ change: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.change = change }
    }

    package func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws -> PasswordHash {
        try count(.hash(cost))
        return try hashing.hash(password, cost: cost)
    }

    package func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws -> Bool {
        try count(.match(hash.cost))
        let matches = try hashing.matches(password, hash)
        let change = state.withLock { state in
            defer { state.change = nil }
            return state.change
        }
        try change?()
        return matches
    }

    private func count(_ derivation: Derivation) throws {
        let failure = state.withLock { (state) -> SealingError? in
            state.derivations.append(derivation)
            if case .hash = derivation, let failure = state.failureOfHashing { return failure }
            return state.failure
        }
        if let failure { throw failure }
    }
}
