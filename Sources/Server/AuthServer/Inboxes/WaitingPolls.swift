internal import HTTPServer
internal import Platform

/// The polls that wait for messages, or for blobs of sync. One thread ends each poll at its time limit. Thread-safe.
final class WaitingPolls: Sendable {
    /// A poll.
    final class Poll: Sendable {
        /// The inbox or the group of sync, as `AccountTransaction.changed(after:limit:)` names it.
        let subject: String
        /// The largest number of polls of the subject.
        let most: Int
        let end: MonotonicTime
        let answer: DeferredResponse
        /// The response to what has come; nil while nothing has.
        let response: @Sendable () throws -> HTTPResponse?
        private let empty: HTTPResponse

        /// Creates a poll. Its end is rounded up to a whole second, so that many polls end
        /// together.
        init(
            _ subject: String, most: Int, wait: Duration, _ answer: DeferredResponse,
            empty: HTTPResponse, _ response: @escaping @Sendable () throws -> HTTPResponse?
        ) {
            self.subject = subject
            self.most = most
            self.empty = empty
            self.response = response
            let second: Int64 = 1_000_000_000
            let end = (MonotonicTime.now + wait).nanoseconds
            self.end = MonotonicTime(nanoseconds: (end / second + 1) * second)
            self.answer = answer
        }

        /// Answers that nothing has come.
        func finish() {
            answer.give(empty)
        }
    }

    private struct State {
        var polls: [String: [Poll]] = [:]
        /// The end of the first poll, or an earlier time.
        var next = MonotonicTime.never
        /// The number of the last change that was delivered; nil before the first poll.
        var position: Int64?
        var isStopped = false
    }

    private let state = Monitor(State())

    /// Adds a poll. If its subject then has too many, one ends: the poll of a disconnected client, or
    /// the oldest.
    func add(_ poll: Poll) {
        let ended: Poll? = state.update { state in
            if state.isStopped { return poll }
            var polls = state.polls[poll.subject] ?? []
            polls.append(poll)
            var ended: Poll?
            if polls.count > poll.most {
                ended = polls.remove(at: polls.firstIndex { !$0.answer.isWanted } ?? 0)
            }
            state.polls[poll.subject] = polls
            state.next = min(state.next, poll.end)
            return ended
        }
        ended?.finish()
    }

    /// Removes a poll, if it is present.
    func remove(_ poll: Poll) {
        state.update { state in
            let left = (state.polls[poll.subject] ?? []).filter { $0 !== poll }
            state.polls[poll.subject] = left.isEmpty ? nil : left
        }
    }

    /// The polls of an inbox or a group.
    func polls(of subject: String) -> [Poll] { state.read { $0.polls[subject] ?? [] } }

    /// The number of the last change that was delivered; nil without polls.
    var position: Int64? { state.read { $0.polls.isEmpty ? nil : $0.position } }

    /// Sets the number of the last change that was delivered.
    func setPosition(_ change: Int64) {
        state.update { $0.position = change }
    }

    /// Sets the first position; only the first call has an effect.
    func begin(at change: () throws -> Int64) rethrows {
        guard state.read({ $0.position == nil }) else { return }
        let first = try change()
        state.update { state in if state.position == nil { state.position = first } }
    }

    /// Ends polls at their time limits, until ``stop()``.
    func run() {
        while let due = nextDue() {
            for poll in due { poll.finish() }
        }
    }

    private func nextDue() -> [Poll]? {
        while true {
            let end = state.read { $0.next }
            let isStopped: Bool? = state.wait(until: end) { state in
                // Another poll may end earlier.
                state.isStopped ? true : state.next < end ? false : nil
            }
            switch isStopped {
            case true?: return nil
            case false?: continue
            case nil: return state.update { Self.takeDue(&$0, at: .now) }
            }
        }
    }

    private static func takeDue(_ state: inout State, at now: MonotonicTime) -> [Poll] {
        var due: [Poll] = []
        state.next = .never
        for (subject, polls) in state.polls {
            let left = polls.filter { $0.end > now }
            if left.count < polls.count {
                due += polls.filter { $0.end <= now }
                state.polls[subject] = left.isEmpty ? nil : left
            }
            for poll in left { state.next = min(state.next, poll.end) }
        }
        return due
    }

    /// Ends all polls; further polls end at once.
    func stop() {
        let left = state.update { state in
            state.isStopped = true
            let left = state.polls.values.flatMap { $0 }
            state.polls = [:]
            return left
        }
        for poll in left { poll.finish() }
    }
}
