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
    /// The content; nil without one, or if it is sealed.
    public let content: SecretBytes?
    /// Content that is sealed already, in ordinary memory.
    public let sealed: [UInt8]?

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
        sealed = nil
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
        sealed = nil
    }

    /// Makes a request whose content is no secret, because it is sealed.
    public init(
        post url: WebURL, fields: [Field] = [], authorization: consuming SecretBytes? = nil,
        contentType: String, sealed: [UInt8]
    ) {
        method = .post
        self.url = url
        self.fields = fields
        self.authorization = authorization
        self.contentType = contentType
        content = nil
        self.sealed = sealed
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
    /// Whether `Cache-Control` has `no-store`.
    public let forbidsStoring: Bool
    /// The server's clock in seconds since 1970; nil without a valid `Date`.
    public let date: Int64?
    /// The content.
    public let content: SecretBytes
}
