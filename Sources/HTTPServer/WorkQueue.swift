/// A few workers, and requests that wait for them in the order in which they came.
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

    /// With room for as many that wait; 0 is without limit.
    init(workers: Int, waiting: Int) {
        self.workers = max(1, workers)
        maximum = waiting == 0 ? .max : self.workers + waiting
    }

    /// How many wait, how many workers are busy, and how many found too many others.
    var load: (waiting: Int, busy: Int, overloads: Int) {
        state.read { ($0.waiting.count, $0.running.count, $0.overloads) }
    }

    /// Starts the workers.
    func start() throws(HTTPServerError) {
        for _ in 0..<workers {
            guard ServerThread.start({ [self] in while runNext() {} }) else {
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
        return isTaken
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

    private func runNext() -> Bool {
        let next = state.wait { state -> Work?? in
            if state.isStopped { return .some(nil) }
            guard !state.waiting.isEmpty else { return nil }
            let work = state.waiting.removeFirst()
            state.running.append(work.answer)
            return work
        }
        guard let work = next ?? nil else { return false }
        if work.answer.isWanted {
            work.run()
        } else {
            work.answer.abandon()
        }
        state.update { state in state.running.removeAll { $0 === work.answer } }
        return true
    }
}
