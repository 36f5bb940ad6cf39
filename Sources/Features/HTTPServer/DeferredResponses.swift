internal import Synchronization

/// The open responses of ``HTTPAnswer/deferred(_:)``. Thread-safe.
final class DeferredResponses: Sendable {
    private struct State {
        var answers: [ObjectIdentifier: SuspendedResponse] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// The number of open responses.
    var count: Int { state.withLock { $0.answers.count } }

    /// Calls `body`, which gives the response now or later.
    func add(_ answer: SuspendedResponse, _ body: (DeferredResponse) -> Void) {
        let id = ObjectIdentifier(answer)
        let isOpen = state.withLock { state in
            if !state.isStopped { state.answers[id] = answer }
            return !state.isStopped
        }
        guard isOpen else { return answer.abandon() }
        let isClientThere: @Sendable () -> Bool = { answer.isWanted }
        body(
            DeferredResponse(isClientThere: isClientThere) { [self] response in
                state.withLock { state in state.answers[id] = nil }
                if let response {
                    answer.give(response)
                } else {
                    answer.abandon()
                }
            })
    }

    /// Abandons all open responses, and each later one.
    func stop() {
        let left = state.withLock { state in
            state.isStopped = true
            let left = Array(state.answers.values)
            state.answers = [:]
            return left
        }
        for answer in left { answer.abandon() }
    }
}
