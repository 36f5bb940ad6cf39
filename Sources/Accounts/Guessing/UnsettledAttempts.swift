internal import Synchronization

/// Attempts that do not count and are counted still, because the database could not be written when they were to be taken back. They are taken
/// back in the next transaction. Who ends the process before that leaves them counted.
final class UnsettledAttempts: Sendable {
    /// How many are kept; beyond that the oldest count.
    static let maximumCount = 256

    private let attempts = Mutex<[AttemptLimiter.Counted]>([])

    /// Whether there are none.
    var isEmpty: Bool { attempts.withLock { $0.isEmpty } }

    /// Adds an attempt, which is to be taken back at once.
    func add(_ attempt: AttemptLimiter.Counted) {
        attempts.withLock { $0.append(attempt) }
    }

    /// All of them, the newest first, which are no longer here.
    func take() -> [AttemptLimiter.Counted] {
        attempts.withLock { attempts in
            defer { attempts = [] }
            return attempts.reversed()
        }
    }

    /// Keeps attempts after all, because their transaction failed.
    ///
    /// Not after an error that would come again with them, or one after which they may have been taken back: nobody gets a guess for nothing.
    func keep(_ taken: [AttemptLimiter.Counted], after error: AccountServiceError) {
        switch error {
        case .repository(.busy), .repository(.unreachable), .repository(.full),
            .repository(.readOnly), .repository(.outOfMemory):
            let kept = Array(taken.reversed())
            attempts.withLock { $0 = (kept + $0).suffix(Self.maximumCount) }
        default: break
        }
    }
}
