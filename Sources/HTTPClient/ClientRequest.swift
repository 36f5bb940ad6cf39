public import SecretMemory

/// What a server is asked.
public struct ClientRequest: ~Copyable, Sendable {
    /// What is to be done.
    public enum Method: Sendable, Hashable {
        /// Something is to be told. Has no content.
        case get
        /// Something is to be done.
        case post
    }

    /// One header field that is no secret.
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
    /// The address.
    public let url: WebURL
    /// Header fields. What the client sets itself may not be among them: `Authorization`, `Host`, and all that says how content is sent.
    public let fields: [Field]
    /// The whole value of the field `Authorization`.
    public let authorization: SecretBytes?
    /// The value of the field `Content-Type`.
    public let contentType: String
    /// The content.
    public let content: SecretBytes?

    /// Asks for something.
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

    /// Hands something in.
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
