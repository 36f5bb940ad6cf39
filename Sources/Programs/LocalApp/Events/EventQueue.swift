internal import HTTPServer
internal import Platform

/// The events for open pages. A page requests the events after a number, by long polling.
/// Thread-safe.
final class EventQueue: Sendable {
    /// The maximum wait of a page.
    static let timeLimit = Duration.seconds(25)
    /// Older events are dropped. A page that missed one reloads everything.
    static let maximumCount = 256

    private struct Waiting {
        let after: Int
        let end: MonotonicTime
        let answer: DeferredResponse
    }

    private struct State {
        /// The number of the last event.
        var sequence = 0
        /// The latest events as JSON.
        var events: [String] = []
        var waiting: [Waiting] = []
        /// The time of the last request of a page.
        var seen: MonotonicTime
    }

    private let now: @Sendable () -> MonotonicTime
    private let state: Monitor<State>

    /// Makes an empty queue. The current time counts as a page's request.
    init(now: @escaping @Sendable () -> MonotonicTime = { .now }) {
        self.now = now
        state = Monitor(State(seen: now()))
    }

    /// The number of the last event.
    var sequence: Int { state.read(\.sequence) }

    /// Adds an event, a JSON object, and responds to waiting pages.
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

    /// Responds to a page with the events after a number, now or later. Without a number the
    /// response has only the last number.
    func give(after number: Int?, to answer: DeferredResponse) {
        let end = now() + Self.timeLimit
        let isWaiting = state.update { state in
            state.seen = now()
            guard let number, number == state.sequence else { return false }
            state.waiting.append(Waiting(after: number, end: end, answer: answer))
            return true
        }
        if !isWaiting { answer.give(response(after: number)) }
    }

    /// Records the time of a page's request.
    func notePage() {
        state.update { $0.seen = now() }
    }

    /// Responds to pages that waited long enough, and drops those that have gone.
    ///
    /// - Returns: The time without an open page.
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
