internal import Synchronization
public import TextCoding

/// The part of a request that takes long: it verifies or hashes a password, once.
///
/// Who cannot run it calls ``cancel(at:)``, or the attempt counts as one that failed.
public final class PasswordWork<Value: Sendable>: Sendable {
    private let run: @Sendable (PointInTime) throws(AccountServiceError) -> Value
    private let takeBack: @Sendable (PointInTime) throws(AccountServiceError) -> Void
    private let isTaken = Atomic(false)

    init(
        run: @escaping @Sendable (PointInTime) throws(AccountServiceError) -> Value,
        takeBack: @escaping @Sendable (PointInTime) throws(AccountServiceError) -> Void
    ) {
        self.run = run
        self.takeBack = takeBack
    }

    /// Does the work. A second time it is rejected: one attempt is one guess.
    public func finish(at now: PointInTime) throws(AccountServiceError) -> Value {
        guard !isTaken.exchange(true, ordering: .relaxed) else { throw .rejected }
        do throws(AccountServiceError) {
            return try run(now)
        } catch .outOfMemory {
            // Nothing was learned. If that cannot be written either, it is in the next transaction.
            try? takeBack(now)
            throw .outOfMemory
        } catch .repository(let error) {
            // Nothing that the caller could guess: the database fails only after the password was right.
            try? takeBack(now)
            throw .repository(error)
        } catch {
            throw error
        }
    }

    /// Gives the work up: nothing was verified, so the attempt does not count.
    public func cancel(at now: PointInTime) throws(AccountServiceError) {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        try takeBack(now)
    }
}
