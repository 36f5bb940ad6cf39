internal import HTTPClient
internal import SecretMemory
internal import Synchronization
internal import TextCoding

/// What all exchanges with a server have in common.
extension OAuthClient {
    static let form = "application/x-www-form-urlencoded"
    static let json = "application/json"
    static let fields = [ClientRequest.Field("Accept", "application/json")]
    static let noAnswer = AuthClientError.broken(detail: "its answer is not one of OAuth")

    /// Asks for a grant.
    ///
    /// - Parameters:
    ///   - type: The type of the grant.
    ///   - fields: The fields of the type that are no secrets.
    ///   - name: The name of the field of `secret`.
    ///   - secret: What proves that the grant may be given.
    /// - Returns: What was granted.
    /// - Throws: Why nothing was.
    func grant(
        _ type: String, _ fields: [(name: String, value: String)], _ name: String,
        _ secret: borrowing SecretBytes
    ) throws(AuthClientError) -> GrantedTokens {
        let endpoint = try metadata().token
        let plain = [("grant_type", type), ("client_id", clientID)] + fields
        let size = plain.map { SecretText.size($0.1.utf8.count) }.reduce(0, +)
        var form = try Self.text(size + SecretText.size(secret.count))
        for (name, value) in plain { value.withBytes { form.appendField(name, $0) } }
        secret.withBytes { form.appendField(name, $0) }
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.form, content: form.finish())
        )
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(secret).ofOAuth
        }
        return try Self.tokens(response)
    }

    /// Sends a request.
    ///
    /// - Throws: What no answer of the server stands for.
    func send(
        _ request: consuming ClientRequest
    ) throws(AuthClientError) -> ClientResponse {
        do throws(HTTPClientError) {
            return try http.send(request)
        } catch {
            throw AuthClientError(error)
        }
    }

    /// Sends an object of which the last member is there to a path of the accounts, for whoever has an access token.
    func send(
        _ object: consuming SecretText, to path: String, by accessToken: borrowing SecretBytes
    ) throws(AuthClientError) -> ClientResponse {
        object.append("}")
        return try send(
            ClientRequest(
                post: try accountEndpoint(path), fields: Self.fields,
                authorization: try Self.bearer(accessToken), contentType: Self.json,
                content: object.finish()))
    }

    /// Below which the server has the accounts.
    func accountEndpoint(_ path: String = "") throws(AuthClientError) -> WebURL {
        guard let endpoint = try metadata().account else { throw .unsupported }
        do throws(WebURLError) {
            return try endpoint.replacing(target: endpoint.path + path)
        } catch {
            throw .broken(detail: "its description has an address that is none")
        }
    }

    /// What the server says of itself. Whatever fails here, the server was not asked for anything.
    func metadata() throws(AuthClientError) -> ServerMetadata {
        if let metadata = known.withLock({ $0 }) { return metadata }
        let metadata: ServerMetadata
        do throws(AuthClientError) {
            metadata = try describedMetadata()
        } catch .unreachable(let detail, _) {
            throw .unreachable(detail: detail, mayHaveArrived: false)
        } catch .broken(let detail) {
            throw .untrusted(detail: detail)
        }
        known.withLock { $0 = metadata }
        return metadata
    }

    private func describedMetadata() throws(AuthClientError) -> ServerMetadata {
        var response = try send(ClientRequest(get: try address("oauth-authorization-server")))
        if response.status == 404 {
            response = try send(ClientRequest(get: try openIDAddress()))
        }
        guard response.status == 200 else { throw ServerRefusal(response).ofDescription }
        return try response.content.withBytes { (bytes) throws(AuthClientError) in
            try ServerMetadata(bytes, of: issuer)
        }
    }

    private func address(_ suffix: String) throws(AuthClientError) -> WebURL {
        try address(target: "/.well-known/" + suffix + issuer.path)
    }

    /// OpenID Connect Discovery 1.0 has the suffix behind the path.
    private func openIDAddress() throws(AuthClientError) -> WebURL {
        try address(target: issuer.path + "/.well-known/openid-configuration")
    }

    private func address(target: String) throws(AuthClientError) -> WebURL {
        do throws(WebURLError) {
            return try issuer.url.replacing(target: target)
        } catch {
            throw .broken(detail: "the address of the server is too long")
        }
    }

    static func text(_ capacity: Int) throws(AuthClientError) -> SecretText {
        do throws(SecretMemoryError) {
            return try SecretText(capacity: capacity)
        } catch {
            throw .outOfMemory
        }
    }

    static func bearer(_ token: borrowing SecretBytes) throws(AuthClientError) -> SecretBytes {
        var value = try text(7 + token.count)
        value.append("Bearer ")
        token.withBytes { bytes in
            for offset in 0..<bytes.byteCount { value.append(bytes[offset]) }
        }
        return value.finish()
    }

    /// The tokens of an answer (RFC 6749 section 5.1).
    static func tokens(
        _ response: borrowing ClientResponse
    ) throws(AuthClientError) -> GrantedTokens {
        try response.content.withBytes { (bytes) throws(AuthClientError) -> GrantedTokens in
            guard let object = AnswerObject(bytes),
                object.text("token_type", in: bytes)?.lowercased() == "bearer"
            else { throw noAnswer }
            let access = try token("access_token", object, bytes)
            let refresh: SecretBytes? =
                object.has("refresh_token", in: bytes)
                ? .some(try token("refresh_token", object, bytes)) : .none
            return GrantedTokens(
                access: access, refresh: refresh, lifetime: object.seconds("expires_in", in: bytes))
        }
    }

    private static func token(
        _ name: String, _ object: AnswerObject, _ bytes: RawSpan
    ) throws(AuthClientError) -> SecretBytes {
        let token: SecretBytes?
        do throws(SecretMemoryError) {
            token = try object.token(name, in: bytes)
        } catch {
            throw .outOfMemory
        }
        switch consume token {
        case .some(let token): return token
        case .none: throw noAnswer
        }
    }
}
