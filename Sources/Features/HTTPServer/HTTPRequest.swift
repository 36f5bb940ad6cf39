/// A complete request.
public struct HTTPRequest: Sendable {
    /// The method, such as `GET` or `POST`.
    public internal(set) var method: String
    /// The path with percent-encoding, without the query. An absolute-form target loses its scheme
    /// and host.
    public internal(set) var path: String
    /// The query with percent-encoding; nil without a question mark.
    public internal(set) var query: String?
    /// The header fields, in order.
    public internal(set) var headers: HTTPHeaders
    /// The content.
    public internal(set) var body: RequestBody
    /// The client: `peer`, or the client that a trusted proxy names in `X-Forwarded-For`.
    public internal(set) var client: ClientAddress
    /// The peer address of the socket.
    public let peer: ClientAddress
    /// The requested host and port: those of an absolute-form target, or else of `Host`.
    public internal(set) var host: String?
    /// Whether a trusted proxy sent an invalid `X-Forwarded-For`, for example with a port. Then
    /// `client` is `peer`.
    public internal(set) var isForwardingUnreadable: Bool
    /// Whether the request came over TLS.
    public let isEncrypted: Bool
    /// 16 hexadecimal digits, unique in this process, for the log and for `X-Request-Id`. They are
    /// not secret.
    public let id: String

    /// Makes a request.
    public init(
        method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        body: RequestBody = RequestBody([]), client: ClientAddress = .loopback,
        peer: ClientAddress? = nil, host: String? = nil, isForwardingUnreadable: Bool = false,
        isEncrypted: Bool = false, id: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.client = client
        self.peer = peer ?? client
        self.host = host
        self.isForwardingUnreadable = isForwardingUnreadable
        self.isEncrypted = isEncrypted
        self.id = id
    }
}
