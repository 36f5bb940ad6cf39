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

/// Header fields. Names compare without regard to ASCII case.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order.
    public private(set) var fields: [Field]

    /// Makes header fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The values of all fields with this name, in order.
    public func values(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where Self.areEqual(field.name, name) { values.append(field.value) }
        return values
    }

    /// Appends a field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        // Fast path: most names have the usual case.
        left == right
            || left.utf8.count == right.utf8.count
                && left.utf8.elementsEqual(right.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
