/// A complete request.
public struct HTTPRequest: Sendable {
    /// The method, as it was sent: `GET`, `POST`, …
    public internal(set) var method: String
    /// The path as it was sent, with percent-encoding, without the query; without scheme and host where the target was a URL.
    public internal(set) var path: String
    /// The query as it was sent; nil without a question mark.
    public internal(set) var query: String?
    /// The header fields, in their order.
    public internal(set) var headers: HTTPHeaders
    /// The content.
    public internal(set) var body: RequestBody
    /// The client: `peer`, or the client that a trusted proxy names in `X-Forwarded-For`.
    public internal(set) var client: ClientAddress
    /// The peer address of the socket.
    public let peer: ClientAddress
    /// The host and port to which it is addressed: those of a target in absolute form, otherwise of `Host`.
    public internal(set) var host: String?
    /// Whether a trusted proxy sent an `X-Forwarded-For` that names no client, for example one with a port; `client` is `peer` then.
    public internal(set) var isForwardingUnreadable: Bool
    /// Whether it came over TLS.
    public let isEncrypted: Bool
    /// 16 hexadecimal digits, unique in this process, for the log and for `X-Request-Id`. They are no secret.
    public let id: String

    /// Creates a request.
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

/// Header fields. Names are compared ignoring ASCII case.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The name as it was sent.
        public let name: String
        /// The value without white space around it.
        public let value: String

        /// Creates a field.
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

    /// The values of all fields of a name, in order.
    public func values(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where Self.areEqual(field.name, name) { values.append(field.value) }
        return values
    }

    /// Adds a field at the end.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    static func areEqual(_ left: String, _ right: String) -> Bool {
        // Most names are sent in the usual case.
        left == right
            || left.utf8.count == right.utf8.count
                && left.utf8.elementsEqual(right.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
