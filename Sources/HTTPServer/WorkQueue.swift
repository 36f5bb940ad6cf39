/// A few workers, or one for each request, and requests that wait for them in the order in which they came.
final class WorkQueue: Sendable {
    /// What a worker does.
    struct Work: Sendable {
        let answer: SuspendedAnswer
        /// Gives the answer, or hands it on.
        let run: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Work] = []
        var running: [SuspendedAnswer] = []
        var overloads = 0
        var isStopped = false
    }

    private let workers: Int
    private let maximum: Int
    private let state = Monitor(State())

    /// With so many workers, and room for as many that wait; 0 is without limit.
    init(workers: Int, waiting: Int) {
        self.workers = workers
        maximum = workers == 0 || waiting == 0 ? .max : workers + waiting
    }

    /// How many wait, how many workers are busy, and how many found too many others.
    var load: (waiting: Int, busy: Int, overloads: Int) {
        state.read { ($0.waiting.count, $0.running.count, $0.overloads) }
    }

    /// Starts the workers whose number is known.
    func start() throws(HTTPServerError) {
        for _ in 0..<workers {
            guard ServerThread.start({ [self] in while run(next()) {} }) else {
                stop()
                throw .outOfResources
            }
        }
    }

    /// Lets work wait, unless too much waits already.
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

    /// Starts a worker for the work that is next, which there is as long as `work` waits; false if `work` has to be given up.
    private func startWorker(for work: Work) -> Bool {
        if ServerThread.start({ [self] in _ = run(state.update { Self.takeNext(&$0) }) }) {
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

    /// Ends the workers, those that run when they are done, and gives up all answers that were not given.
    func stop() {
        let left = state.update { state in
            state.isStopped = true
            defer { state.waiting = [] }
            return state.running + state.waiting.map(\.answer)
        }
        for answer in left { answer.abandon() }
    }

    /// Waits for work; nil at the end.
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
