/// What the server is told of itself and of its clients.
public struct AuthServerOptions: Sendable {
    /// Its name: the URL at which clients reach it, without a path and without a slash at the end (RFC 8414 section 2).
    public var issuer: String
    /// The confidential clients, which may introspect; the public one is always there.
    public var confidentialClients: [OAuthClient]
    /// Whether reading from the database waits for nobody, as with a file: then it is done at once, and not handed to another thread.
    public var readsAtOnce: Bool
    /// How many fields a form may have; 0 is no limit.
    public var maximumFormFields: Int
    /// How many members an object may have; 0 is no limit.
    public var maximumJSONMembers: Int

    /// Makes options.
    public init(
        issuer: String, confidentialClients: [OAuthClient] = [], readsAtOnce: Bool = true,
        maximumFormFields: Int = 32, maximumJSONMembers: Int = 16
    ) {
        self.issuer = issuer
        self.confidentialClients = confidentialClients
        self.readsAtOnce = readsAtOnce
        self.maximumFormFields = maximumFormFields
        self.maximumJSONMembers = maximumJSONMembers
    }
}
