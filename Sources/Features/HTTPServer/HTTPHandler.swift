internal import CMicroHTTPD
internal import Synchronization

/// Answers requests. Called from several threads at once.
public protocol HTTPHandler: Sendable {
    /// Answers a complete request. The thread serves other connections too, so slow work is returned as ``HTTPAnswer/later(_:_:overload:)``,
    /// and an answer that depends on another event as ``HTTPAnswer/waiting(_:)``.
    func answer(_ request: HTTPRequest) -> HTTPAnswer

    /// Answers a request that the server refuses: a body that is too large (413), a refused framing (400), a full server (503). The server chooses
    /// the status, the handler the content. The body of the request is empty.
    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse

    /// Called once for each request, after its answer was passed to the system or its connection ended.
    func didAnswer(_ exchange: HTTPExchange)
}

/// The answer to a request, or the work that makes it.
public enum HTTPAnswer: Sendable {
    /// At once.
    case now(HTTPResponse)
    /// By a function on a worker of a lane, in order of arrival; by `overload` if too many requests wait. The function may return more work, for
    /// another lane.
    case later(HTTPLane, @Sendable () -> HTTPAnswer, overload: HTTPResponse)
    /// At any time, by any thread; until then no thread waits. The function gets the answer to give, and returns soon.
    case waiting(@Sendable (WaitingAnswer) -> Void)
}

/// The answer of a request that waits without a thread. Thread-safe.
///
/// If it is released without ``give(_:)``, the connection ends.
public final class WaitingAnswer: Sendable {
    private let isGiven = Atomic<Bool>(false)
    private let isClientThere: @Sendable () -> Bool
    private let complete: @Sendable (HTTPResponse?) -> Void

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - isClientThere: Whether the client is still connected.
    ///   - complete: Gets the answer, or nil if there is none. Called once.
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

    /// Whether the connection waits for the answer and its client is connected.
    public var isWanted: Bool { !isGiven.load(ordering: .relaxed) && isClientThere() }

    /// Gives the answer; a second one is ignored.
    public func give(_ response: HTTPResponse) {
        finish(response)
    }

    private func finish(_ response: HTTPResponse?) {
        if !isGiven.exchange(true, ordering: .relaxed) { complete(response) }
    }
}

/// Kinds of work with separate queues, so that short work does not wait behind long work.
public enum HTTPLane: Sendable, Hashable, CaseIterable {
    /// Work that waits for a disk or another machine.
    case storage
    /// Work that needs a processor and much memory.
    case derivation
}

/// A request and its result, for logs and metrics.
public struct HTTPExchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    /// The status; nil if the connection ended before the answer.
    public let status: Int?
    /// The time from the end of the request's head to the end of the answer.
    public let duration: Duration

    /// Creates a record.
    public init(request: HTTPRequest, status: Int?, duration: Duration) {
        self.request = request
        self.status = status
        self.duration = duration
    }
}

/// An answer.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The header fields; the server adds `Content-Length`, `Date` and `Connection`.
    public var headers: HTTPHeaders
    /// The content.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPResponse {
    /// The fields that the server writes itself.
    private static let ownFields = ["Content-Length", "Transfer-Encoding", "Connection", "Date"]

    /// The fields to send: well-formed ones that the server does not write itself.
    var sentFields: [HTTPHeaders.Field] {
        headers.fields.filter { field in
            HTTPSyntax.isToken(field.name.utf8) && HTTPSyntax.isFieldValue(field.value.utf8)
                && !Self.ownFields.contains { HTTPHeaders.areEqual($0, field.name) }
        }
    }

    /// Queues the answer in libmicrohttpd; false if memory is exhausted.
    func send(to connection: OpaquePointer, closing: Bool) -> Bool {
        precondition((200...599).contains(status), "a status that is no final answer")
        guard
            let response = unsafe body.withUnsafeBytes({ bytes in
                unsafe cmicrohttpd_response(bytes.baseAddress, bytes.count)
            })
        else { return false }
        defer { unsafe MHD_destroy_response(response) }
        for field in sentFields + (closing ? [HTTPHeaders.Field("Connection", "close")] : []) {
            // A text that is passed directly would be copied into an array first.
            let result = unsafe field.name.withCString { name in
                unsafe field.value.withCString { value in
                    unsafe MHD_add_response_header(response, name, value)
                }
            }
            guard result == .YES else { return false }
        }
        return unsafe MHD_queue_response(connection, UInt32(status), response) == .YES
    }
}
