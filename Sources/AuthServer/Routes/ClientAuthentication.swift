internal import Accounts
internal import HTTPServer
internal import Sealing

/// Finds out which client asks (RFC 6749 sections 2.3 and 3.2.1).
struct ClientAuthentication {
    private let clients: [String: OAuthClient]

    /// Knows the clients of the configuration, and the public one.
    init(_ confidentialClients: [OAuthClient]) {
        var clients = [OAuthClient.taskvault.name: OAuthClient.taskvault]
        for client in confidentialClients { clients[client.name] = client }
        self.clients = clients
    }

    /// The client that a request comes from: by the header, or by `client_id` and `client_secret`, not both.
    ///
    /// - Throws: `invalid_client`, `invalid_request`.
    func client(of request: HTTPRequest, _ form: Form) throws(OAuthError) -> OAuthClient {
        let name: String?
        let secret: String?
        do throws(FormError) {
            name = try form.text("client_id")
            secret = try form.text("client_secret")
        } catch {
            throw OAuthError(error)
        }
        switch Authorization(of: request) {
        case nil:
            guard let name else { throw .invalidClient }
            return try client(name, secret)
        case .basic(let headerName, let headerSecret):
            guard secret == nil, name == nil || name == headerName else {
                throw .invalidRequest("the client authenticates in two ways")
            }
            // Libraries send an empty password for a public client.
            return try client(headerName, headerSecret.isEmpty ? nil : headerSecret)
        case .bearer, .malformed:
            throw .invalidClient
        }
    }

    private func client(_ name: String, _ secret: String?) throws(OAuthError) -> OAuthClient {
        // A secret is hashed and compared for unknown names too: the time tells nothing.
        let hash = secret.map { TokenHash(of: $0) }
        let found = clients[name]
        let expected = found?.secret
        let isEqual = ConstantTime.areEqual(
            hash?.bytes ?? [], expected?.bytes ?? [UInt8](repeating: 0, count: TokenHash.size))
        guard let found,
            (hash == nil && expected == nil) || (hash != nil && isEqual && expected != nil)
        else { throw .invalidClient }
        return found
    }
}
