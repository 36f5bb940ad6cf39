import HTTPServer

// Most tests are about the workers of one lane.

extension HTTPServerOptions {
    /// Options with so many workers in the lane of ``HTTPAnswer/later(_:overload:)``.
    init(workers: Int, waitingForWorkers: Int = 16) {
        self.init(lanes: [.derivation: Lane(workers: workers, waiting: waitingForWorkers)])
    }
}

extension HTTPAnswer {
    /// An answer of one of these workers.
    static func later(
        _ body: @escaping @Sendable () -> HTTPResponse, overload: HTTPResponse
    ) -> HTTPAnswer {
        .later(.derivation, { .now(body()) }, overload: overload)
    }
}
