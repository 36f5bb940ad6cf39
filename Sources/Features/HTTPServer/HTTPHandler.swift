internal import CMicroHTTPD
internal import Synchronization

/// The application of a server. Called from several threads at the same time.
public protocol HTTPHandler: Sendable {
    /// Handles a complete request.
    ///
    /// The calling thread also serves other connections. Slow work must be returned as
    /// ``HTTPAnswer/later(_:for:_:overload:)``, and a response that depends on another event as
    /// ``HTTPAnswer/deferred(_:)``.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// Decides about announced content that exceeds ``HTTPServerOptions/maximumBodySize``, before it is read. Called by the thread that serves the
    /// connection, so it must not wait.
    ///
    /// - Parameters:
    ///   - request: The request, whose body is empty.
    ///   - size: The announced size in bytes.
    /// - Returns: The decision.
    func admission(of request: HTTPRequest, size: Int) -> HTTPAdmission

    /// Makes the response to a refused request: a body that is too large (413), an invalid framing
    /// (400), a full server (503).
    ///
    /// The server chooses the status, the handler the content. The request has an empty body.
    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse

    /// Called once for each request, after its response was given to the system or its connection
    /// ended.
    func didAnswer(_ exchange: HTTPExchange)
}

extension HTTPHandler {
    /// No request may have larger content.
    public func admission(of request: HTTPRequest, size: Int) -> HTTPAdmission { .tooLarge }
}

/// The decision about large content.
public enum HTTPAdmission: Sendable {
    /// It is refused with status 413.
    case tooLarge
    /// It is refused with status 503.
    case busy
    /// It is read. The place is released after the response.
    case admitted(HTTPPlace)
}

/// One of a limited number of places.
public final class HTTPPlace: Sendable {
    private let release: @Sendable () -> Void

    /// Makes a place; `release` is called at its end.
    public init(release: @escaping @Sendable () -> Void) {
        self.release = release
    }

    deinit { release() }
}

/// A response, or the work that makes it.
public enum HTTPAnswer: Sendable {
    /// Responds immediately.
    case now(HTTPResponse)
    /// Runs the function on a worker of a lane; the requesters take turns. If too many requests wait,
    /// the response is `overload`.
    ///
    /// The function may return more work, for another lane.
    case later(
        HTTPLane, for: HTTPRequester = .stranger(""), @Sendable () -> HTTPAnswer,
        overload: HTTPResponse)
    /// Responds later, from any thread. No thread waits meanwhile. The function gets the deferred
    /// response and must return soon.
    case deferred(@Sendable (DeferredResponse) -> Void)
}

/// A response that another thread gives later. Thread-safe.
///
/// If it is released without ``give(_:)``, the connection ends.
public final class DeferredResponse: Sendable {
    private let isGiven = Atomic<Bool>(false)
    private let isClientThere: @Sendable () -> Bool
    private let complete: @Sendable (HTTPResponse?) -> Void

    /// Makes a deferred response.
    ///
    /// - Parameters:
    ///   - isClientThere: Returns whether the client is still connected.
    ///   - complete: Gets the response, or nil without one. Called once.
    public init(
        isClientThere: @escaping @Sendable () -> Bool = { true },
        _ complete: @escaping @Sendable (HTTPResponse?) -> Void
    ) {
        self.isClientThere = isClientThere
        self.complete = complete
    }

    deinit {
        finish(nil)
    }

    /// Whether the response has not been given yet and the client is still connected.
    public var isWanted: Bool { !isGiven.load(ordering: .relaxed) && isClientThere() }

    /// Gives the response. A second one is ignored.
    public func give(_ response: HTTPResponse) {
        finish(response)
    }

    private func finish(_ response: HTTPResponse?) {
        if !isGiven.exchange(true, ordering: .relaxed) { complete(response) }
    }
}

/// The kinds of work with their own queues, so that short work does not wait behind long work.
public enum HTTPLane: Sendable, Hashable, CaseIterable {
    /// Work that waits for storage or for another machine.
    case storage
    /// Work that needs a processor and much memory.
    case derivation
}

/// The party for whom a lane works.
///
/// Half of the workers and places of a lane are for known requesters, the other half for strangers. Each side may also use what the other side leaves
/// free. On each side, the requester for whom the lane has worked least comes first.
public enum HTTPRequester: Sendable, Hashable {
    /// A party that proved to be known, such as an account.
    case known(String)
    /// Any other party, by its network.
    case stranger(String)

    /// Whether the party proved to be known.
    var isKnown: Bool {
        switch self {
        case .known: true
        case .stranger: false
        }
    }
}

/// A request and its result, for logs and metrics.
public struct HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    /// The status; nil if the connection ended before the response.
    public let status: Int?
    /// The time from the end of the request's head to the end of the response.
    public let duration: Duration

    /// Makes a record.
    public init(request: HTTPRequest, status: Int?, duration: Duration) {
        self.request = request
        self.status = status
        self.duration = duration
    }
}

/// A response.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields. The server adds `Content-Length`, `Date` and `Connection`.
    public var headers: HTTPHeaders
    /// The content.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPResponse {
    /// The fields that the server itself sets.
    private static let ownFields = ["Content-Length", "Transfer-Encoding", "Connection", "Date"]

    /// The fields to send: valid ones that the server does not set itself.
    var sentFields: [HTTPHeaders.Field] {
        headers.fields.filter { field in
            HTTPSyntax.isToken(field.name.utf8) && HTTPSyntax.isFieldValue(field.value.utf8)
                && !Self.ownFields.contains { HTTPHeaders.areEqual($0, field.name) }
        }
    }

    /// Queues the response in libmicrohttpd; false if memory is exhausted.
    func send(to connection: OpaquePointer, closing: Bool) -> Bool {
        precondition((200...599).contains(status), "a status that is no final answer")
        guard
            let response = unsafe body.withUnsafeBytes({ bytes in
                unsafe cmicrohttpd_response(bytes.baseAddress, bytes.count)
            })
        else { return false }
        defer { unsafe cmicrohttpd_destroy(response) }
        for field in sentFields + (closing ? [HTTPHeaders.Field("Connection", "close")] : []) {
            // Passing the strings directly would copy each into an array first.
            let isAdded = unsafe field.name.withCString { name in
                unsafe field.value.withCString { value in
                    unsafe cmicrohttpd_add_header(response, name, value)
                }
            }
            guard isAdded else { return false }
        }
        return unsafe cmicrohttpd_queue(connection, UInt32(status), response)
    }
}
