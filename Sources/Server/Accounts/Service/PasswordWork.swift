internal import Synchronization
public import TextCoding

/// The slow part of a request: it normalises, checks, verifies or hashes a password, once. Thread-safe.
///
/// An attempt that is refused for lack of room, without this work, still counts against its network.
public final class PasswordWork<Value: Sendable>: Sendable {
    private let run: @Sendable (PointInTime) throws -> Value
    private let release: @Sendable (PointInTime) throws -> Void
    private let subject: @Sendable () -> AccountID?
    private let hasStarted = Atomic(false)
    /// The account whose known device, session or code the request has; nil for a stranger. It shares the lane with others.
    public let known: String?

    init(
        known: String?, run: @escaping @Sendable (PointInTime) throws -> Value,
        release: @escaping @Sendable (PointInTime) throws -> Void,
        subject: @escaping @Sendable () -> AccountID? = { nil }
    ) {
        self.known = known
        self.run = run
        self.release = release
        self.subject = subject
    }

    /// The account whose password was verified, right or wrong; nil before, and for a name without an account. For the log only.
    public var account: AccountID? { subject() }

    /// Does the work. A second call is rejected: one attempt is one guess.
    ///
    /// - Throws: `AccountError`, or the error of the database or the derivation.
    public func finish(at now: PointInTime) throws -> Value {
        guard !hasStarted.exchange(true, ordering: .relaxed) else {
            throw AccountError.rejected
        }
        do {
            return try run(now)
        } catch let refusal as AccountError {
            throw refusal
        } catch {
            // A failed derivation reveals nothing, and the database fails only after the right password: the attempt is no guess.
            // If the release fails now, the next transaction repeats it.
            try? release(now)
            throw error
        }
    }
}
