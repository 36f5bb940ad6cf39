internal import Platform

/// A FIFO queue of requests with a fixed number of workers, or with one worker for each request.
/// Thread-safe.
final class WorkQueue: Sendable {
    /// The work for one request.
    struct Work: Sendable {
        let answer: SuspendedResponse
        /// Gives the response, or submits the request to another lane.
        let run: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Work] = []
        var running: [SuspendedResponse] = []
        var overloads = 0
        var isStopped = false
    }

    private let workers: Int
    private let maximum: Int
    private let state = Monitor(State())

    /// Makes a queue. 0 means no limit.
    init(workers: Int, waiting: Int) {
        self.workers = workers
        maximum = workers == 0 || waiting == 0 ? .max : workers + waiting
    }

    /// The numbers of waiting requests, busy workers and refused requests.
    var load: (waiting: Int, busy: Int, overloads: Int) {
        state.read { ($0.waiting.count, $0.running.count, $0.overloads) }
    }

    /// Starts the fixed workers.
    func start() throws {
        for _ in 0..<workers {
            guard DetachedThread.start({ [self] in while run(next()) {} }) else {
                stop()
                throw HTTPServerError.outOfResources
            }
        }
    }

    /// Queues work; false if the queue is full. A full queue first drops work whose client has
    /// gone.
    func submit(_ work: Work) -> Bool {
        let (isTaken, gone) = state.update { state -> (Bool, [Work]) in
            guard !state.isStopped else { return (false, []) }
            var gone: [Work] = []
            if state.waiting.count + state.running.count >= maximum {
                gone = state.waiting.filter { !$0.answer.isWanted }
                state.waiting.removeAll { work in gone.contains { $0.answer === work.answer } }
            }
            guard state.waiting.count + state.running.count < maximum else {
                state.overloads += 1
                return (false, gone)
            }
            state.waiting.append(work)
            return (true, gone)
        }
        for work in gone { work.answer.abandon() }
        return isTaken && (workers > 0 || startWorker(for: work))
    }

    /// Starts a worker for the next work in the queue. Returns false if that fails, and `work` must
    /// be refused.
    private func startWorker(for work: Work) -> Bool {
        if DetachedThread.start({ [self] in _ = run(state.update { Self.takeNext(&$0) }) }) {
            return true
        }
        return state.update { state in
            guard let index = state.waiting.firstIndex(where: { $0.answer === work.answer }) else {
                return true
            }
            state.waiting.remove(at: index)
            state.overloads += 1
            return false
        }
    }

    /// Stops the workers, busy ones after their work, and abandons all open responses.
    func stop() {
        let left = state.update { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.running + state.waiting.map(\.answer)
        }
        for answer in left { answer.abandon() }
    }

    /// Waits for work; nil after `stop`.
    private func next() -> Work? {
        state.wait { state -> Work?? in
            if state.isStopped { return .some(nil) }
            return Self.takeNext(&state).map { .some($0) }
        } ?? nil
    }

    private static func takeNext(_ state: inout State) -> Work? {
        guard !state.waiting.isEmpty else { return nil }
        let work = state.waiting.removeFirst()
        state.running.append(work.answer)
        return work
    }

    private func run(_ work: Work?) -> Bool {
        guard let work else { return false }
        if work.answer.isWanted {
            work.run()
        } else {
            work.answer.abandon()
        }
        state.update { state in state.running.removeAll { $0 === work.answer } }
        return true
    }
}
