internal import CMicroHTTPD
internal import Platform
internal import Synchronization

/// A first-in first-out queue of requests with a fixed number of workers, or one worker for each request. Thread-safe.
final class WorkQueue: Sendable {
    /// The work of a request.
    struct Work: Sendable {
        let answer: SuspendedAnswer
        /// Gives the answer, or passes the request to another lane.
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

    /// Creates a queue. 0 is no limit.
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

    /// Queues work; false if the queue is full. Work whose client is gone is dropped first.
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

    /// Starts a worker for the next work in the queue, which exists as long as `work` waits; false if `work` must be refused.
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

    /// Ends the workers, busy ones after their work, and abandons all open answers.
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

/// The queues of all lanes, and the answers that wait without a worker.
struct WorkLanes: Sendable {
    private let queues: [HTTPLane: WorkQueue]
    let held = HeldAnswers()

    /// Creates a queue for each lane, with one worker if its size is missing.
    init(_ sizes: [HTTPLane: HTTPServerOptions.Lane]) {
        var queues: [HTTPLane: WorkQueue] = [:]
        for lane in HTTPLane.allCases {
            let size = sizes[lane]
            queues[lane] = WorkQueue(workers: size?.workers ?? 1, waiting: size?.waiting ?? 0)
        }
        self.queues = queues
    }

    /// The numbers of waiting requests, busy workers and refused requests of a lane.
    func load(of lane: HTTPLane) -> (waiting: Int, busy: Int, overloads: Int) {
        queues[lane]?.load ?? (0, 0, 0)
    }

    /// Starts the workers.
    func start() throws {
        for queue in queues.values { try queue.start() }
    }

    /// Ends the workers, and abandons all open answers; see ``WorkQueue/stop()``.
    func stop() {
        for queue in queues.values { queue.stop() }
        held.stop()
    }

    /// Queues work in a lane, or gives the overload answer.
    func submit(
        _ answer: SuspendedAnswer, to lane: HTTPLane, _ body: @escaping @Sendable () -> HTTPAnswer,
        overload: HTTPResponse
    ) {
        let work = WorkQueue.Work(answer: answer) {
            switch body() {
            case .now(let response): answer.give(response)
            case .later(let lane, let body, let overload):
                submit(answer, to: lane, body, overload: overload)
            case .waiting(let body): held.hold(answer, body)
            }
        }
        if queues[lane]?.submit(work) != true { answer.give(overload) }
    }
}

/// The open answers of ``HTTPAnswer/waiting(_:)``. Thread-safe.
final class HeldAnswers: Sendable {
    private struct State {
        var answers: [ObjectIdentifier: SuspendedAnswer] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Their number.
    var count: Int { state.withLock { $0.answers.count } }

    /// Lets `body` give the answer, now or later.
    func hold(_ answer: SuspendedAnswer, _ body: (WaitingAnswer) -> Void) {
        let id = ObjectIdentifier(answer)
        let isHeld = state.withLock { state in
            if !state.isStopped { state.answers[id] = answer }
            return !state.isStopped
        }
        guard isHeld else { return answer.abandon() }
        let isClientThere: @Sendable () -> Bool = { answer.isWanted }
        body(
            WaitingAnswer(isClientThere: isClientThere) { [self] response in
                state.withLock { state in state.answers[id] = nil }
                if let response {
                    answer.give(response)
                } else {
                    answer.abandon()
                }
            })
    }

    /// Abandons all open answers, and each further one.
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

/// The answer of a suspended connection, to be given by another thread. Thread-safe.
///
/// The connection must be resumed exactly once. Until then the library neither notices its end nor closes its descriptor.
final class SuspendedAnswer: Sendable {
    private enum State {
        case waiting
        case given(HTTPResponse)
        case abandoned
    }

    /// `@unchecked Sendable`: the pointer is only passed to library functions that any thread may call.
    @safe private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Handle
    private let descriptor: Int32
    private let state = Mutex<State>(.waiting)

    /// Makes the answer of a suspended connection.
    init(connection: OpaquePointer, descriptor: Int32) {
        handle = unsafe Handle(pointer: connection)
        self.descriptor = descriptor
    }

    /// Whether the connection waits for an answer and its client is connected.
    var isWanted: Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            return platform_has_ended(descriptor) == 0
        }
    }

    /// The answer; nil before it was given.
    var response: HTTPResponse? {
        state.withLock { state in
            guard case .given(let response) = state else { return nil }
            return response
        }
    }

    /// Gives the answer, if the connection still waits for it.
    func give(_ response: HTTPResponse) {
        resume(with: .given(response))
    }

    /// Gives no answer: the connection ends.
    func abandon() {
        resume(with: .abandoned)
    }

    private func resume(with result: sending State) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = result
            unsafe MHD_resume_connection(handle.pointer)
        }
    }
}
