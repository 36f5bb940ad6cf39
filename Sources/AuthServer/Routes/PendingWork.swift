internal import Accounts
internal import TextCoding

/// Work with a password that waits for its turn. If its turn never comes, because too many wait or the client is gone, the attempt does not count.
final class PendingWork<Value: Sendable>: Sendable {
    private let work: PasswordWork<Value>
    private let now: @Sendable () -> PointInTime

    /// Holds on to work.
    init(_ work: PasswordWork<Value>, now: @escaping @Sendable () -> PointInTime) {
        self.work = work
        self.now = now
    }

    deinit {
        // Nothing happens after it was finished. What cannot be taken back counts as a failure.
        try? work.cancel(at: now())
    }

    /// Does it.
    func finish() throws(AccountServiceError) -> Value {
        try work.finish(at: now())
    }
}
