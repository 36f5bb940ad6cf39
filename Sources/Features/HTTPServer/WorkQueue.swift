internal import CMicroHTTPD
internal import Platform
internal import Synchronization

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

/// The queues of all lanes, and the deferred responses.
struct WorkLanes: Sendable {
    private let queues: [HTTPLane: WorkQueue]
    let deferred = DeferredResponses()

    /// Makes a queue for each lane, with one worker if the size is missing.
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

    /// Stops the workers, and abandons all open responses; see ``WorkQueue/stop()``.
    func stop() {
        for queue in queues.values { queue.stop() }
        deferred.stop()
    }

    /// Queues work in a lane, or gives the overload response.
    func submit(
        _ answer: SuspendedResponse, to lane: HTTPLane,
        _ body: @escaping @Sendable () -> HTTPAnswer,
        overload: HTTPResponse
    ) {
        let work = WorkQueue.Work(answer: answer) {
            switch body() {
            case .now(let response): answer.give(response)
            case .later(let lane, let body, let overload):
                submit(answer, to: lane, body, overload: overload)
            case .deferred(let body): deferred.add(answer, body)
            }
        }
        if queues[lane]?.submit(work) != true { answer.give(overload) }
    }
}

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

/// The response of a suspended connection, given by another thread. Thread-safe.
///
/// The connection must be resumed exactly once. Until then libmicrohttpd neither notices its end
/// nor closes its descriptor.
final class SuspendedResponse: Sendable {
    private enum State {
        case waiting
        case given(HTTPResponse)
        case abandoned
    }

    /// `@unchecked Sendable`: the pointer is only passed to C functions that any thread may call.
    @safe private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let handle: Handle
    private let descriptor: Int32
    private let state = Mutex<State>(.waiting)

    /// Makes the response of a suspended connection.
    init(connection: OpaquePointer, descriptor: Int32) {
        handle = unsafe Handle(pointer: connection)
        self.descriptor = descriptor
    }

    /// Whether the response is still missing and the client connected.
    var isWanted: Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            return platform_has_ended(descriptor) == 0
        }
    }

    /// The response; nil before it was given.
    var response: HTTPResponse? {
        state.withLock { state in
            guard case .given(let response) = state else { return nil }
            return response
        }
    }

    /// Gives the response, unless it was given or abandoned.
    func give(_ response: HTTPResponse) {
        resume(with: .given(response))
    }

    /// Gives no response, so the connection ends.
    func abandon() {
        resume(with: .abandoned)
    }

    private func resume(with result: sending State) {
        state.withLock { state in
            guard case .waiting = state else { return }
            state = result
            unsafe cmicrohttpd_resume(handle.pointer)
        }
    }
}
