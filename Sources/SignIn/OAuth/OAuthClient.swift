public import HTTPClient
public import SecretMemory
internal import Synchronization
internal import TextCoding

/// A client of an OAuth 2.0 server with the password grant (RFC 6749), and of the account paths of TaskVault's own server
/// (`Docs/AuthProtocol.md`).
///
/// It asks the server once for its description (RFC 8414, otherwise OpenID Connect Discovery). Thread-safe.
public final class OAuthClient: AuthClient {
    /// The public client that TaskVault's own server knows.
    public static let standardClientID = "taskvault"

    private static let form = "application/x-www-form-urlencoded"
    private static let json = "application/json"
    private static let fields = [ClientRequest.Field("Accept", "application/json")]
    private static let noAnswer = SignInError.broken(detail: "its answer is not OAuth")

    /// The server.
    public let issuer: Issuer
    private let clientID: String
    private let http: HTTPClient
    private let known = Mutex<ServerMetadata?>(nil)

    /// Makes a client without connecting.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - clientID: The name of this public client at the server (RFC 6749, section 2.2).
    ///   - http: The connection.
    public init(
        _ issuer: Issuer, clientID: String = OAuthClient.standardClientID, _ http: HTTPClient
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.http = http
    }

    /// See ``AuthClient/signIn(_:password:device:)``.
    public func signIn(
        _ account: AccountName, password: borrowing SecretBytes,
        device: borrowing SecretBytes? = nil
    ) throws -> GrantedTokens {
        try grant("password", [("username", account.text)], "password", password, device)
    }

    /// See ``AuthClient/refresh(_:)``.
    public func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens {
        var tokens = try grant("refresh_token", [], "refresh_token", token, nil)
        // Without a new refresh token in the answer the old one stays valid (RFC 6749, section 6).
        if !tokens.canBeRefreshed { tokens.refresh = .some(try token.copy()) }
        return tokens
    }

    /// See ``AuthClient/revoke(_:)``.
    public func revoke(_ token: borrowing SecretBytes) throws {
        guard let endpoint = try metadata().revocation else { throw SignInError.unsupported }
        var form = try SecretText(
            capacity: SecretText.size(token.count) + SecretText.size(clientID.utf8.count))
        clientID.withBytes { form.appendField("client_id", $0) }
        token.withBytes { form.appendField("token", $0) }
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.form, content: form.finish())
        )
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(token).ofOAuth
        }
    }

    /// See ``AuthClient/account(_:)``.
    public func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails {
        let response = try send(
            ClientRequest(
                get: try accountEndpoint(), fields: Self.fields,
                authorization: try Self.bearer(accessToken)))
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(accessToken).ofAccounts
        }
        return try response.content.withBytes { (bytes) throws in
            guard let object = AnswerObject(bytes), let name = object.text("email", in: bytes)
            else { throw Self.noAnswer }
            return AccountDetails(name: name, created: object.text("created", in: bytes))
        }
    }

    /// See ``AuthClient/createAccount(_:password:invitation:)``.
    public func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws {
        let endpoint = try accountEndpoint()
        let invitationSize =
            switch invitation {
            case .some(let code): code.count
            case .none: 0
            }
        var object = try SecretText(
            capacity: SecretText.size(account.text.utf8.count) + SecretText.size(password.count)
                + SecretText.size(invitationSize))
        account.text.withBytes { object.appendMember("email", $0) }
        password.withBytes { object.appendMember("password", $0) }
        switch invitation {
        case .some(let code): code.withBytes { object.appendMember("invitation", $0) }
        case .none: break
        }
        object.append("}")
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.json,
                content: object.finish()))
        guard response.status == 201 else {
            throw ServerRefusal(response).withholding(password).withholding(invitation).ofAccounts
        }
    }

    /// See ``AuthClient/changePassword(_:from:to:)``.
    public func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws -> GrantedTokens {
        var object = try SecretText(
            capacity: SecretText.size(current.count) + SecretText.size(new.count))
        current.withBytes { object.appendMember("current_password", $0) }
        new.withBytes { object.appendMember("new_password", $0) }
        let response = try send(object, to: "/password", by: accessToken)
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(current).withholding(new)
                .withholding(accessToken).ofAccounts
        }
        return try Self.tokens(response)
    }

    /// See ``AuthClient/removeAccount(_:password:)``.
    public func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws {
        var object = try SecretText(capacity: SecretText.size(password.count))
        password.withBytes { object.appendMember("current_password", $0) }
        let response = try send(object, to: "/remove", by: accessToken)
        guard response.status == 204 else {
            throw ServerRefusal(response).withholding(password).withholding(accessToken).ofAccounts
        }
    }
}

extension OAuthClient {
    /// Requests a grant of a type with plain fields, the secret field `name`, and the token of the device if it has one.
    private func grant(
        _ type: String, _ fields: [(name: String, value: String)], _ name: String,
        _ secret: borrowing SecretBytes, _ device: borrowing SecretBytes?
    ) throws -> GrantedTokens {
        let endpoint = try metadata().token
        let plain = [("grant_type", type), ("client_id", clientID)] + fields
        let size = plain.map { SecretText.size($0.1.utf8.count) }.reduce(0, +)
        let deviceSize =
            switch device {
            case .some(let token): token.count
            case .none: 0
            }
        var form = try SecretText(
            capacity: size + SecretText.size(secret.count) + SecretText.size(deviceSize))
        for (name, value) in plain { value.withBytes { form.appendField(name, $0) } }
        secret.withBytes { form.appendField(name, $0) }
        switch device {
        case .some(let token): token.withBytes { form.appendField("device_token", $0) }
        case .none: break
        }
        let response = try send(
            ClientRequest(
                post: endpoint, fields: Self.fields, contentType: Self.form, content: form.finish())
        )
        guard response.status == 200 else {
            throw ServerRefusal(response).withholding(secret).withholding(device).ofOAuth
        }
        return try Self.tokens(response)
    }

    private func send(_ request: consuming ClientRequest) throws -> ClientResponse {
        do {
            return try http.send(request)
        } catch let error as HTTPClientError {
            throw SignInError(error)
        }
    }

    /// Sends an object to an account path; its last member has been appended.
    private func send(
        _ object: consuming SecretText, to path: String, by accessToken: borrowing SecretBytes
    ) throws -> ClientResponse {
        object.append("}")
        return try send(
            ClientRequest(
                post: try accountEndpoint(path), fields: Self.fields,
                authorization: try Self.bearer(accessToken), contentType: Self.json,
                content: object.finish()))
    }

    private func accountEndpoint(_ path: String = "") throws -> WebURL {
        guard let endpoint = try metadata().account else { throw SignInError.unsupported }
        guard let url = try? endpoint.replacing(target: endpoint.path + path) else {
            throw SignInError.broken(detail: "its description has an invalid address")
        }
        return url
    }

    /// The server's description. If it cannot be had, the server got no request.
    private func metadata() throws -> ServerMetadata {
        if let metadata = known.withLock({ $0 }) { return metadata }
        let metadata: ServerMetadata
        do {
            metadata = try requestedMetadata()
        } catch SignInError.unreachable(let detail, _) {
            throw SignInError.unreachable(detail: detail, mayHaveArrived: false)
        } catch SignInError.broken(let detail) {
            throw SignInError.untrusted(detail: detail)
        }
        known.withLock { $0 = metadata }
        return metadata
    }

    private func requestedMetadata() throws -> ServerMetadata {
        // RFC 8414 puts the suffix before the path, OpenID Connect Discovery 1.0 behind it.
        let oauth = "/.well-known/oauth-authorization-server" + issuer.path
        let openID = issuer.path + "/.well-known/openid-configuration"
        var response = try send(ClientRequest(get: try issuer.url.replacing(target: oauth)))
        if response.status == 404 {
            response = try send(ClientRequest(get: try issuer.url.replacing(target: openID)))
        }
        guard response.status == 200 else { throw ServerRefusal(response).ofDescription }
        return try response.content.withBytes { (bytes) throws in
            try ServerMetadata(bytes, of: issuer)
        }
    }

    private static func bearer(_ token: borrowing SecretBytes) throws -> SecretBytes {
        var value = try SecretText(capacity: 7 + token.count)
        value.append("Bearer ")
        token.withBytes { bytes in
            for offset in 0..<bytes.byteCount { value.append(bytes[offset]) }
        }
        return value.finish()
    }

    /// The tokens of an answer (RFC 6749, section 5.1).
    private static func tokens(_ response: borrowing ClientResponse) throws -> GrantedTokens {
        try response.content.withBytes { (bytes) throws -> GrantedTokens in
            guard let object = AnswerObject(bytes),
                object.text("token_type", in: bytes)?.lowercased() == "bearer",
                let access = try object.token("access_token", in: bytes)
            else { throw noAnswer }
            var tokens = GrantedTokens(
                access: access, refresh: nil, lifetime: object.seconds("expires_in", in: bytes))
            if object.has("refresh_token", in: bytes) {
                guard let refresh = try object.token("refresh_token", in: bytes) else {
                    throw noAnswer
                }
                tokens.refresh = .some(refresh)
            }
            // Another server may use the name for something else.
            tokens.device = try object.token("device_token", in: bytes)
            tokens.serverTime = response.date
            return tokens
        }
    }
}
