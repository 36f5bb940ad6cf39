internal import Accounts
internal import HTTPServer
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// Client authentication (RFC 6749 sections 2.3 and 3.2.1).
struct ClientAuthentication {
    private let clients: [String: RegisteredClient]

    /// Registers the configured clients, and the public one.
    init(_ confidentialClients: [RegisteredClient]) {
        var clients = [RegisteredClient.taskvault.name: RegisteredClient.taskvault]
        for client in confidentialClients { clients[client.name] = client }
        self.clients = clients
    }

    /// Authenticates the client of a request, by the header or by `client_id` and `client_secret`, not both.
    ///
    /// - Throws: `invalid_client`, `invalid_request`; `ContentError`.
    func client(of request: HTTPRequest, _ form: Form) throws -> RegisteredClient {
        let name = try form.text("client_id")
        let secret = try form.text("client_secret")
        switch Authorization(of: request) {
        case nil:
            guard let name else { throw RequestError.invalidClient }
            return try client(name, secret)
        case .basic(let headerName, let headerSecret):
            guard secret == nil, name == nil || name == headerName else {
                throw RequestError.invalidRequest("the client authenticates in two ways")
            }
            // Libraries send an empty password for a public client.
            return try client(headerName, headerSecret.isEmpty ? nil : headerSecret)
        case .bearer, .malformed, .unsupported:
            throw RequestError.invalidClient
        }
    }

    private func client(_ name: String, _ secret: String?) throws -> RegisteredClient {
        // A secret is hashed and compared for unknown names too, so the time reveals no name.
        let hash = secret.map { TokenHash(of: $0) }
        let found = clients[name]
        let expected = found?.secret
        let isEqual = ConstantTime.areEqual(
            hash?.bytes ?? [], expected?.bytes ?? [UInt8](repeating: 0, count: TokenHash.size))
        guard let found,
            (hash == nil && expected == nil) || (hash != nil && isEqual && expected != nil)
        else { throw RequestError.invalidClient }
        return found
    }
}
