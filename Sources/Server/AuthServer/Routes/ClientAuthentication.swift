internal import Accounts
internal import HTTPServer
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// Client authentication (RFC 6749 sections 2.3 and 3.2.1).
struct ClientAuthentication {
    /// The largest size of a requested scope, in bytes.
    private static let maximumScopeSize = 4_096

    private let clients: [String: RegisteredClient]
    /// The scopes that tokens for each service may have, by its URL; with this server.
    private let services: [String: TokenGrant]
    /// The names of all scopes, in ascending order.
    let scopes: [String]

    /// Registers the configured clients, and the public one.
    init(_ configured: [RegisteredClient], issuer: String) {
        var clients = [RegisteredClient.taskvault.name: RegisteredClient.taskvault]
        var services = [issuer: TokenGrant.account]
        for client in configured {
            clients[client.name] = client
            if let resource = client.grant.resource { services[resource] = client.grant }
        }
        self.clients = clients
        self.services = services
        let all = clients.values.filter { $0.secret == nil }.map(\.grant) + services.values
        scopes = Set(all.flatMap(\.scope.names)).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }

    /// The scopes and services that a request asks its tokens for (RFC 6749 section 3.3, RFC 8707 section 2). Unknown names of scopes are left out.
    ///
    /// - Throws: `invalid_target`, `invalid_scope`; `ContentError`.
    func grant(of form: Form) throws -> GrantRequest {
        let scope = try form.text("scope")
        guard (scope?.utf8.count ?? 0) <= Self.maximumScopeSize else {
            throw RequestError.invalidScope
        }
        guard let resource = try form.text("resource") else {
            return GrantRequest(scope: scope, service: nil)
        }
        guard let service = services[resource] else { throw RequestError.invalidTarget }
        return GrantRequest(scope: scope, service: service)
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
