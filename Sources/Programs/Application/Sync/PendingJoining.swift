internal import Platform
internal import TextCoding

/// A joining that a page of the local app has begun: a thread of this process runs `sync join` or `device approve`, and the person at the
/// page takes part. A further one replaces it. Thread-safe.
package final class PendingJoining: JoiningPerson, Sendable {
    /// That of this process.
    package static let shared = PendingJoining()

    /// The state of the joining, for the page.
    package struct Status: Sendable {
        /// Whether the operation goes on.
        package var isRunning = false
        /// The digits that a person types on the other device.
        package var shown: String?
        /// Whether the digits of the other device are asked for.
        package var asks = false
        /// For what the operation waits.
        package var waits: JoiningWait?
        /// How the operation ended; nil before that, and if none was begun.
        package var outcome: OperationOutcome?
    }

    private struct State {
        var status = Status()
        var hasBegun = false
        var isGivenUp = false
        var typed: String?
    }

    private let state = Monitor(State())

    private init() {}

    package var status: Status { state.read(\.status) }

    /// Starts an operation in a thread of its own, after an earlier one ended.
    ///
    /// - Parameter work: The operation, for which ``shared`` is the person.
    /// - Returns: How it ended, if it ended before it spoke to the person: by a refusal.
    /// - Throws: `SystemFailure` if no thread can be started.
    package func begin(
        _ work: @escaping @Sendable () throws -> OperationOutcome
    ) throws -> OperationOutcome? {
        giveUp()
        _ = state.wait { state in
            if state.status.isRunning { return nil as Bool? }
            state = State()
            state.status.isRunning = true
            return true
        }
        let isStarted = DetachedThread.start { [self] in
            let outcome =
                (try? work()) ?? OperationOutcome(exitCode: 1, output: [], errors: [])
            state.update {
                $0.status.isRunning = false
                $0.status.asks = false
                if $0.status.waits != .name { $0.status.waits = nil }
                $0.status.outcome = outcome
            }
        }
        guard isStarted else {
            state.update { $0.status.isRunning = false }
            throw SystemFailure("pthread_create", code: EAGAIN)
        }
        return state.wait { state in
            state.hasBegun || !state.status.isRunning ? .some(state.status.outcome) : nil
        } ?? nil
    }

    /// Types the digits that the other device shows.
    package func answer(_ digits: String) {
        state.update {
            $0.typed = digits
            $0.status.asks = false
        }
    }

    /// Ends the operation; it may take a second.
    package func giveUp() { state.update { $0.isGivenUp = true } }

    // MARK: The person

    package func say(_ line: String) throws {
        state.update { $0.hasBegun = true }
        try keepWaiting()
    }

    package func waits(for wait: JoiningWait) throws {
        state.update { $0.status.waits = wait }
        try keepWaiting()
    }

    package func show(_ digits: String, for device: String) throws {
        state.update { $0.status.shown = digits }
        try keepWaiting()
    }

    package func digits(_ question: String) throws -> String {
        state.update {
            $0.status.asks = true
            $0.status.waits = nil
        }
        _ = state.wait { state -> Bool? in
            state.isGivenUp || state.typed != nil ? true : nil
        }
        try keepWaiting()
        return state.read(\.typed) ?? ""
    }

    package func keepWaiting() throws {
        if state.read(\.isGivenUp) { throw Self.givenUp }
    }

    private static let givenUp = Failure(
        .refused, code: "joining_given_up", "the joining was given up",
        hint: "begin again on both devices")
}
