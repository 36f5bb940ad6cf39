/// What answers requests. Called from several threads at once.
public protocol HTTPHandler: Sendable {
    /// Answers a request that arrived whole, on a thread that serves other connections too: what takes long is work for later.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// Answers what never became a request: a body that is too large (413), a framing that is refused (400), a server that is full (503). The
    /// status is the server's choice, the content the handler's. The body of the request is empty.
    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse

    /// Called once for each request, after its answer was handed to the system or its connection ended before that.
    func didAnswer(_ exchange: HTTPExchange)
}

/// How a request is answered.
public enum HTTPAnswer: Sendable {
    /// At once.
    case now(HTTPResponse)
    /// By a function that runs on one of the few workers of a lane, in the order in which requests came there; `overload` where too many wait. What
    /// the function returns may be for later again, on another lane.
    case later(HTTPLane, @Sendable () -> HTTPAnswer, overload: HTTPResponse)
}

/// Kinds of work that wait in lines of their own, so that short work does not wait behind long work.
public enum HTTPLane: Sendable, Hashable, CaseIterable {
    /// What waits for a disk or another machine.
    case storage
    /// What keeps a processor and much memory busy.
    case derivation
}

/// A request and how it was answered, for logs and counters.
public struct HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    /// The status; nil if the connection ended before there was an answer.
    public let status: Int?
    /// How long it took from the end of the request's head to the end of the answer.
    public let duration: Duration

    /// Makes a record.
    public init(request: HTTPRequest, status: Int?, duration: Duration) {
        self.request = request
        self.status = status
        self.duration = duration
    }
}
