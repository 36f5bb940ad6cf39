internal import Platform

/// The queue of a lane with a fixed number of workers, or with one worker for each request. Thread-safe.
///
/// The requesters take turns; see ``HTTPRequester``.
final class WorkQueue: Sendable {
    /// The work for one request.
    struct Work: Sendable {
        let answer: SuspendedResponse
        let requester: HTTPRequester
        /// The response if other work takes the place of this work.
        let overload: HTTPResponse
        /// Gives the response, or submits the request to another lane.
        let run: @Sendable () -> Void
        /// How much the queue did for the requester before; the smallest comes first.
        fileprivate var rank = 0

        init(
            answer: SuspendedResponse, requester: HTTPRequester, overload: HTTPResponse,
            run: @escaping @Sendable () -> Void
        ) {
            self.answer = answer
            self.requester = requester
            self.overload = overload
            self.run = run
        }
    }

    fileprivate struct State {
        var waiting: [Work] = []
        var running: [Work] = []
        /// How much work of each requester was begun. All numbers are halved after each ``memory`` beginnings, so few are kept.
        var begun: [HTTPRequester: Int] = [:]
        var beginnings = 0
        var wasKnown = false
        var overloads = 0
        var isStopped = false
    }

    private static let memory = 256

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
    /// gone, and then work of a requester who had more than this one.
    func submit(_ work: Work) -> Bool {
        let (isTaken, gone, displaced) = state.update { state -> (Bool, [Work], Work?) in
            guard !state.isStopped else { return (false, [], nil) }
            var work = work
            work.rank = state.rank(of: work.requester)
            var gone: [Work] = []
            if state.waiting.count + state.running.count >= maximum {
                gone = state.waiting.filter { !$0.answer.isWanted }
                state.waiting.removeAll { work in gone.contains { $0.answer === work.answer } }
            }
            var displaced: Work?
            if state.waiting.count + state.running.count >= maximum {
                state.overloads += 1
                guard let place = state.place(for: work, of: maximum) else {
                    return (false, gone, nil)
                }
                displaced = state.waiting.remove(at: place)
            }
            state.waiting.append(work)
            return (true, gone, displaced)
        }
        for work in gone { work.answer.abandon() }
        if let displaced { displaced.answer.give(displaced.overload) }
        return isTaken && (workers > 0 || startWorker(for: work))
    }

    /// Starts a worker for the next work in the queue. Returns false if that fails, and `work` must
    /// be refused.
    private func startWorker(for work: Work) -> Bool {
        if DetachedThread.start({ [self] in _ = run(state.update { $0.takeNext(Self.memory) }) }) {
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
            return (state.running + state.waiting).map(\.answer)
        }
        for answer in left { answer.abandon() }
    }

    /// Waits for work; nil after `stop`.
    private func next() -> Work? {
        state.wait { state -> Work?? in
            if state.isStopped { return .some(nil) }
            return state.takeNext(Self.memory).map { .some($0) }
        } ?? nil
    }

    private func run(_ work: Work?) -> Bool {
        guard let work else { return false }
        if work.answer.isWanted {
            work.run()
        } else {
            work.answer.abandon()
        }
        state.update { state in state.running.removeAll { $0.answer === work.answer } }
        return true
    }
}

extension WorkQueue.State {
    /// The rank of new work.
    func rank(of requester: HTTPRequester) -> Int {
        (begun[requester] ?? 0) + waiting.count { $0.requester == requester }
    }

    /// The place of waiting work that gives way to new work in a full queue; nil if none does.
    func place(for work: WorkQueue.Work, of maximum: Int) -> Int? {
        let isKnown = work.requester.isKnown
        let own = (waiting + running).count { $0.requester.isKnown == isKnown }
        // The other half then uses places of this one, and gives one back.
        let isBelowHalf = own < (isKnown ? maximum / 2 : maximum - maximum / 2)
        let half = isBelowHalf ? !isKnown : isKnown
        // Of equal ranks, the newest.
        let last = waiting.indices.reversed().filter { waiting[$0].requester.isKnown == half }
            .max { waiting[$0].rank < waiting[$1].rank }
        guard let last, isBelowHalf || waiting[last].rank > work.rank else { return nil }
        return last
    }

    /// Takes the next work: of the half with fewer busy workers, or else of the other half than before.
    mutating func takeNext(_ memory: Int) -> WorkQueue.Work? {
        let known = running.count { $0.requester.isKnown }
        let others = running.count - known
        let turn = known == others ? !wasKnown : known < others
        let ofHalf = waiting.indices.filter { waiting[$0].requester.isKnown == turn }
        // Of equal ranks, the oldest.
        let next = (ofHalf.isEmpty ? Array(waiting.indices) : ofHalf)
            .min { waiting[$0].rank < waiting[$1].rank }
        guard let next else { return nil }
        let work = waiting.remove(at: next)
        wasKnown = work.requester.isKnown
        running.append(work)
        begun[work.requester, default: 0] += 1
        beginnings += 1
        if beginnings.isMultiple(of: memory) { halve() }
        return work
    }

    /// Halves the numbers of begun work. Waiting work keeps its order among that of its requester.
    private mutating func halve() {
        let halves = begun.mapValues { $0 / 2 }
        for index in waiting.indices {
            let requester = waiting[index].requester
            waiting[index].rank -= (begun[requester] ?? 0) - (halves[requester] ?? 0)
        }
        begun = halves.filter { $0.value > 0 }
    }
}
