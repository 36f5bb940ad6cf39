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
        _ answer: SuspendedResponse, to lane: HTTPLane, for requester: HTTPRequester,
        _ body: @escaping @Sendable () -> HTTPAnswer,
        overload: HTTPResponse
    ) {
        let work = WorkQueue.Work(answer: answer, requester: requester, overload: overload) {
            switch body() {
            case .now(let response): answer.give(response)
            case .later(let lane, let requester, let body, let overload):
                submit(answer, to: lane, for: requester, body, overload: overload)
            case .deferred(let body): deferred.add(answer, body)
            }
        }
        if queues[lane]?.submit(work) != true { answer.give(overload) }
    }
}
