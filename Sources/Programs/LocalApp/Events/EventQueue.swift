internal import HTTPServer
internal import Platform

/// The events of the pages, which ask for those after a number and wait if there is none. Thread-safe.
final class EventQueue: Sendable {
    /// How long a page waits at most.
    static let patience = Duration.seconds(25)
    /// Older events are forgotten; a page that missed one loads everything.
    static let maximumCount = 256

    private struct Waiting {
        let after: Int
        let end: MonotonicTime
        let answer: WaitingAnswer
    }

    private struct State {
        /// The number of the last event.
        var sequence = 0
        /// The last events as JSON.
        var events: [String] = []
        var waiting: [Waiting] = []
        /// When a page was there last.
        var seen: MonotonicTime
    }

    private let now: @Sendable () -> MonotonicTime
    private let state: Monitor<State>

    /// Makes an empty queue, as if a page were there now.
    init(now: @escaping @Sendable () -> MonotonicTime = { .now }) {
        self.now = now
        state = Monitor(State(seen: now()))
    }

    /// The number of the last event.
    var sequence: Int { state.read(\.sequence) }

    /// Adds an event, one JSON object, and answers the pages that wait.
    func post(_ event: String) {
        let waiting = state.update { state in
            state.sequence += 1
            state.events.append(event)
            if state.events.count > Self.maximumCount { state.events.removeFirst() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for page in waiting { page.answer.give(response(after: page.after)) }
    }

    /// Answers a page with the events after a number, now or later; without a number with the last number only.
    func give(after number: Int?, to answer: WaitingAnswer) {
        let end = now() + Self.patience
        let isWaiting = state.update { state in
            state.seen = now()
            guard let number, number == state.sequence else { return false }
            state.waiting.append(Waiting(after: number, end: end, answer: answer))
            return true
        }
        if !isWaiting { answer.give(response(after: number)) }
    }

    /// Notes that a page has asked for something.
    func noteUse() {
        state.update { $0.seen = now() }
    }

    /// Answers the pages that have waited long enough, and drops those that are gone.
    ///
    /// - Returns: How long no page has been there.
    func look() -> Duration {
        let now = now()
        let (ended, silence) = state.update { state -> ([Waiting], Duration) in
            let ended = state.waiting.filter { $0.end <= now || !$0.answer.isWanted }
            state.waiting.removeAll { page in ended.contains { $0.answer === page.answer } }
            if !state.waiting.isEmpty || ended.contains(where: { $0.answer.isWanted }) {
                state.seen = now
            }
            let silence = now.nanoseconds - state.seen.nanoseconds
            return (ended, .nanoseconds(silence))
        }
        for page in ended { page.answer.give(response(after: page.after)) }
        return silence
    }

    private func response(after number: Int?) -> HTTPResponse {
        let (sequence, events) = state.read { state -> (Int, [String]) in
            guard let number else { return (state.sequence, []) }
            let missed = state.sequence - number
            guard missed >= 0, missed <= state.events.count else {
                return (state.sequence, [#"{"event":"resync"}"#])
            }
            return (state.sequence, Array(state.events.suffix(missed)))
        }
        return .result(
            #"{"sequence":\#(sequence),"events":[\#(events.joined(separator: ","))]}"#)
    }
}
