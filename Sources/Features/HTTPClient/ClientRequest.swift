public import SecretMemory

/// A request to a server.
public struct ClientRequest: ~Copyable, Sendable {
    /// The method.
    public enum Method: Sendable, Hashable {
        /// Requests a resource; has no content.
        case get
        /// Submits content.
        case post
    }

    /// A header field that is not secret.
    public struct Field: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method.
    public let method: Method
    /// The URL.
    public let url: WebURL
    /// Additional header fields. The client sets `Authorization`, `Host`, and the fields of the
    /// connection and content itself.
    public let fields: [Field]
    /// The value of the field `Authorization`.
    public let authorization: SecretBytes?
    /// The value of the field `Content-Type`.
    public let contentType: String
    /// The content.
    public let content: SecretBytes?

    /// Makes a request without content.
    public init(
        get url: WebURL, fields: [Field] = [], authorization: consuming SecretBytes? = nil
    ) {
        method = .get
        self.url = url
        self.fields = fields
        self.authorization = authorization
        contentType = ""
        content = nil
    }

    /// Makes a request with content.
    public init(
        post url: WebURL, fields: [Field] = [], authorization: consuming SecretBytes? = nil,
        contentType: String, content: consuming SecretBytes
    ) {
        method = .post
        self.url = url
        self.fields = fields
        self.authorization = authorization
        self.contentType = contentType
        self.content = consume content
    }
}

/// A complete response.
public struct ClientResponse: ~Copyable, Sendable {
    /// The status code: 200 to 299, 304, or 400 and more.
    public let status: Int
    /// The media type in lower case without parameters, such as `application/json`; nil unless
    /// there is exactly one.
    public let contentType: String?
    /// The value of `Retry-After` in seconds. A date is ignored, because it would depend on both
    /// clocks.
    public let retryAfter: Int?
    /// The value of `ETag`; nil unless there is exactly one.
    public let etag: String?
    /// The server's clock in seconds since 1970; nil without a valid `Date`.
    public let date: Int64?
    /// The content.
    public let content: SecretBytes
}

/// The syntax of header fields (RFC 9110, section 5).
enum FieldSyntax {
    /// The fields that the client sets itself.
    private static let reserved: Set<String> = [
        "authorization", "connection", "content-length", "content-type", "cookie", "expect", "host",
        "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade", "accept-encoding", "user-agent",
    ]

    /// Whether a caller may send the field.
    static func isAllowed(_ field: ClientRequest.Field) -> Bool {
        let name = Array(field.name.utf8)
        return isName(name[...]) && isValue(field.value)
            && !reserved.contains(String(decoding: name.map(WebHost.lower), as: UTF8.self))
    }

    /// Whether the bytes are a field name.
    static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy {
                WebHost.isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }

    /// Whether the text is a field value: printable ASCII without spaces at either end.
    static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    /// Whether a secret is a field value.
    static func isValue(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount > 0 else { return false }
        for offset in 0..<bytes.byteCount {
            let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            let isEnd = offset == 0 || offset == bytes.byteCount - 1
            guard (0x20..<0x7F).contains(byte), !(isEnd && byte == 0x20) else { return false }
        }
        return true
    }

    /// The bytes without surrounding white space.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result = bytes
        while let first = result.first, first == 0x20 || first == 0x09 { result.removeFirst() }
        while let last = result.last, last == 0x20 || last == 0x09 { result.removeLast() }
        return result
    }
}
