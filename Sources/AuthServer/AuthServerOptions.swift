/// What the server is told of itself and of its clients.
public struct AuthServerOptions: Sendable {
    /// Its name: the URL at which clients reach it, without a path and without a slash at the end (RFC 8414 section 2).
    public var issuer: String
    /// The confidential clients, which may introspect; the public one is always there.
    public var confidentialClients: [OAuthClient]
    /// Whether everybody may make an account; otherwise an invitation is needed.
    public var registrationIsOpen: Bool

    /// Makes options.
    public init(
        issuer: String, confidentialClients: [OAuthClient] = [], registrationIsOpen: Bool = false
    ) {
        self.issuer = issuer
        self.confidentialClients = confidentialClients
        self.registrationIsOpen = registrationIsOpen
    }
}
