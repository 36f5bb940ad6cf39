package import Accounts
package import Sealing
internal import Synchronization

/// Real Argon2id at any cost, which counts what it is asked to do.
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
    }

    private let state = Mutex(State())
    private let hashing = Argon2idHashing(limits: .testing)

    package init() {}

    /// What was done since the last call of ``forget()``.
    package var derivations: [Derivation] { state.withLock { $0.derivations } }

    /// How many passwords were verified.
    package var verifications: Int {
        derivations.count { if case .match = $0 { true } else { false } }
    }

    /// Begins to count anew.
    package func forget() {
        state.withLock { $0.derivations = [] }
    }

    /// Lets all that follows fail; nil ends that.
    package func fail(with error: SealingError?) {
        state.withLock { $0.failure = error }
    }

    /// Lets new hashes fail; nil ends that.
    package func failHashing(with error: SealingError?) {
        state.withLock { $0.failureOfHashing = error }
    }

    package func hash(
        _ password: borrowing AccountPassword, cost: KeyDerivationCost
    ) throws(SealingError) -> PasswordHash {
        try count(.hash(cost))
        return try hashing.hash(password, cost: cost)
    }

    package func matches(
        _ password: borrowing AccountPassword, _ hash: PasswordHash
    ) throws(SealingError) -> Bool {
        try count(.match(hash.cost))
        return try hashing.matches(password, hash)
    }

    private func count(_ derivation: Derivation) throws(SealingError) {
        let failure = state.withLock { (state) -> SealingError? in
            state.derivations.append(derivation)
            if case .hash = derivation, let failure = state.failureOfHashing { return failure }
            return state.failure
        }
        if let failure { throw failure }
    }
}
