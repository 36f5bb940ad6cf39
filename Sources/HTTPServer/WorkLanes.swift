/// The lines in which work waits, one for each lane.
struct WorkLanes: Sendable {
    private let queues: [HTTPLane: WorkQueue]

    /// Makes every lane, with one worker where nothing is said of it.
    init(_ sizes: [HTTPLane: HTTPServerOptions.Lane]) {
        var queues: [HTTPLane: WorkQueue] = [:]
        for lane in HTTPLane.allCases {
            let size = sizes[lane]
            queues[lane] = WorkQueue(workers: size?.workers ?? 1, waiting: size?.waiting ?? 0)
        }
        self.queues = queues
    }

    /// How many wait in a lane, how many of its workers are busy, and how many found too many others.
    func load(of lane: HTTPLane) -> (waiting: Int, busy: Int, overloads: Int) {
        queues[lane]?.load ?? (0, 0, 0)
    }

    /// Starts the workers.
    func start() throws(HTTPServerError) {
        for queue in queues.values { try queue.start() }
    }

    /// Ends the workers; see ``WorkQueue/stop()``.
    func stop() {
        for queue in queues.values { queue.stop() }
    }

    /// Lets work wait in a lane, or gives the answer of an overload.
    func submit(
        _ answer: SuspendedAnswer, to lane: HTTPLane, _ body: @escaping @Sendable () -> HTTPAnswer,
        overload: HTTPResponse
    ) {
        let work = WorkQueue.Work(answer: answer) {
            switch body() {
            case .now(let response): answer.give(response)
            case .later(let lane, let body, let overload):
                submit(answer, to: lane, body, overload: overload)
            }
        }
        if queues[lane]?.submit(work) != true { answer.give(overload) }
    }
}
