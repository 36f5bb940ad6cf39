internal import Synchronization

/// Delays guesses: after the n-th wrong attempt the next one waits 0.1 s × 2^(n-1), at most 10 s.
///
/// One attempt runs at a time, so the memory of their key derivations does not add up. Thread-safe.
final class GuessDelay: Sendable {
    /// The largest number of waiting attempts; further ones are refused.
    static let mostWaiting = 4
    private static let firstDelay: Duration = .milliseconds(100)
    private static let longestDelay: Duration = .seconds(10)

    private struct State {
        var waiting = 0
        var failures = 0
        var notBefore: Duration = .zero
    }

    private let state = Mutex(State())
    private let turn = Mutex(())
    private let clock: any SessionClock

    /// Creates the delay without failed attempts.
    init(_ clock: any SessionClock) {
        self.clock = clock
    }

    /// The result of an attempt.
    enum Verdict {
        /// The owner was verified.
        case right
        /// The secret was wrong.
        case wrong
        /// The attempt checked no secret.
        case undecided
    }

    /// Runs an attempt in turn.
    ///
    /// - Parameter attempt: Makes the attempt; its verdict determines the delay before the next
    ///   one.
    /// - Returns: The result of `attempt` without its verdict.
    /// - Throws: ``AgentError/throttled`` if too many attempts are waiting.
    func run<Result: Sendable>(
        _ attempt: () -> (Verdict, Result)
    ) throws -> Result {
        let isAdmitted = state.withLock { state in
            // One attempt runs and the others wait. Without an earlier wrong attempt there is no
            // delay.
            guard state.failures == 0 || state.waiting <= Self.mostWaiting else { return false }
            state.waiting += 1
            return true
        }
        guard isAdmitted else { throw AgentError.throttled }
        defer { state.withLock { $0.waiting -= 1 } }
        return turn.withLock { _ in
            clock.sleep(until: state.withLock { $0.notBefore })
            let (verdict, result) = attempt()
            note(verdict)
            return result
        }
    }

    private func note(_ verdict: Verdict) {
        let now = clock.now
        state.withLock { state in
            switch verdict {
            case .right:
                state.failures = 0
                state.notBefore = .zero
            case .wrong:
                state.failures += 1
                let factor = 1 << min(state.failures - 1, 10)
                state.notBefore = now + min(Self.firstDelay * factor, Self.longestDelay)
            case .undecided:
                break
            }
        }
    }
}
