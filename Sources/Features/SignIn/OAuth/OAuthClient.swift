public import HTTPClient
public import SecretMemory
internal import Synchronization
internal import TextCoding

/// A client of an OAuth 2.0 server (RFC 6749), and of the account endpoints of TaskVault's own
/// server (`Docs/AuthProtocol.md`).
///
/// It requests the server's metadata once (RFC 8414, or else OpenID Connect Discovery), unless the
/// user set the endpoints. Thread-safe.
public final class OAuthClient: AuthClient {
    /// The id of the public client that TaskVault's own server knows.
    public static let standardClientID = "taskvault"

    private static let form = "application/x-www-form-urlencoded"
    private static let json = "application/json"
    private static let fields = [ClientRequest.Field("Accept", "application/json")]
    static let noAnswer = SignInError.broken(detail: "its answer is not OAuth")

    /// The server.
    public let issuer: Issuer
    let clientID: String
    private let secret: ClientSecret?
    let scope: String
    private let deviceName: String
    private let http: HTTPClient
    private let cachedMetadata: Mutex<ServerMetadata?>
    private let secondFactor = Mutex<SecondFactorAnswer?>(nil)

    /// Makes a client without connecting.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - endpoints: The endpoints that the user set; nil to request the server's metadata.
    ///   - clientID: The client identifier (RFC 6749, section 2.2).
    ///   - secret: The client secret (section 2.3.1); nil for a public client.
    ///   - scope: The requested scope (section 3.3); empty for the server's default.
    ///   - deviceName: The name of this machine in the session list of TaskVault's own server; may
    ///     be empty.
    ///   - http: The connection.
    public init(
        _ issuer: Issuer, endpoints: ServerEndpoints? = nil,
        clientID: String = OAuthClient.standardClientID,
        secret: ClientSecret? = nil, scope: String = "", deviceName: String = "", _ http: HTTPClient
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.scope = scope
        self.deviceName = deviceName
        self.http = http
        cachedMetadata = Mutex(endpoints.map { ServerMetadata($0, of: issuer) })
    }

    /// Sets the second factor that the next sign-ins with a password send; nil for none.
    public func answer(secondFactor: SecondFactorAnswer?) {
        self.secondFactor.withLock { $0 = secondFactor }
    }

    /// Verifies the server's certificate and metadata. Sends at most one metadata request.
    public func check() throws { _ = try metadata() }

    /// As ``check()``.
    ///
    /// - Throws: `unsupported` also if the server is not TaskVault's own.
    public func requireAccounts() throws {
        guard try describesAccounts() else { throw SignInError.unsupported }
    }

    /// Whether the server has account endpoints. Only TaskVault's own server has them.
    public func describesAccounts() throws -> Bool { try metadata().account != nil }

    /// See ``AuthClient/signIn(_:password:device:continuing:)``.
    public func signIn(
        _ account: AccountName, password: borrowing SecretBytes,
        device: borrowing SecretBytes? = nil, continuing session: String? = nil
    ) throws -> GrantedTokens {
        var fields = [("grant_type", "password"), ("username", account.text)]
        if !scope.isEmpty { fields.append(("scope", scope)) }
        // Only TaskVault's own server knows these fields, and the second factor.
        let isOwn = try describesAccounts()
        if isOwn {
            if !deviceName.isEmpty { fields.append(("device_name", deviceName)) }
            if let session { fields.append(("taskvault_session", session)) }
        }
        let response = try post(
            fields, "password", password, and: "device_token", device,
            isOwn ? secondFactor.withLock { $0 } : nil, to: try metadata().token)
        guard response.status == 200 else {
            let error = refusal(response, password).removing(device).passwordError
            if case .secondFactor = error, !isOwn {
                throw SignInError.refused(
                    .other(detail: "it asks for a second factor, which a password cannot show"))
            }
            throw error
        }
        return try Self.tokens(response)
    }

    /// See ``AuthClient/refresh(_:)``.
    public func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens {
        let response = try post(
            [("grant_type", "refresh_token")], "refresh_token", token, to: try metadata().token)
        guard response.status == 200 else { throw refusal(response, token).refreshError }
        var tokens = try Self.tokens(response)
        // Without a new refresh token in the response the old one stays valid (RFC 6749, section
        // 6).
        if !tokens.canBeRefreshed { tokens.refresh = .some(try token.copy()) }
        return tokens
    }

    /// See ``AuthClient/revoke(_:)``.
    public func revoke(_ token: borrowing SecretBytes) throws {
        guard let endpoint = try metadata().revocation else { throw SignInError.unsupported }
        let response = try post([], "token", token, to: endpoint)
        guard response.status == 200 else { throw refusal(response, token).tokenError }
    }

    /// See ``AuthClient/account(_:)``.
    public func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails {
        let response = try send(
            ClientRequest(
                get: try accountEndpoint(), fields: Self.fields,
                authorization: try Self.bearer(accessToken)))
        guard response.status == 200 else {
            throw ErrorResponse(response).removing(accessToken).accountError
        }
        return try response.content.withBytes { (bytes) throws in
            guard let object = JSONObject(answer: bytes), let name = object.text("email", in: bytes)
            else { throw Self.noAnswer }
            return AccountDetails(name: name, created: object.text("created", in: bytes))
        }
    }

    /// Whether a new account needs an invitation at TaskVault's own server. The server checks the
    /// invitation before the password, so an empty password finds out.
    ///
    /// - Throws: `refused` with another reason; `unsupported`.
    public func requiresInvitation(for account: AccountName) throws -> Bool {
        do {
            try createAccount(account, password: SecretBytes(count: 0), invitation: nil)
        } catch SignInError.refused(.invitation) {
            return true
        } catch SignInError.refused(.newPassword) {
            return false
        }
        throw Self.noAnswer
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
            throw ErrorResponse(response).removing(password).removing(invitation).accountError
        }
    }

    /// The sessions of an account at TaskVault's own server, oldest first.
    ///
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    public func sessions(_ accessToken: borrowing SecretBytes) throws -> [RemoteSession] {
        guard let sessions = try listed("sessions", accessToken, RemoteSession.init) else {
            throw Self.noAnswer
        }
        return sessions
    }

    /// Events that the owner of an account at TaskVault's own server should know, newest first; empty for an older server.
    ///
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    public func events(_ accessToken: borrowing SecretBytes) throws -> [RemoteEvent] {
        try listed("events", accessToken, RemoteEvent.init) ?? []
    }

    /// The elements of a member of the list of sessions; nil without the member.
    private func listed<Value>(
        _ name: String, _ accessToken: borrowing SecretBytes,
        _ read: (JSONObject, RawSpan) -> Value?
    ) throws -> [Value]? {
        let response = try get("/sessions", by: accessToken)
        guard response.status == 200 else {
            throw ErrorResponse(response).removing(accessToken).accountError
        }
        return try response.content.withBytes { (bytes) throws in
            guard let object = JSONObject(answer: bytes) else { throw Self.noAnswer }
            return try object.elements(name, in: bytes)?.map { range in
                let element = bytes.extracting(range)
                guard let object = JSONObject(answer: element), let value = read(object, element)
                else { throw Self.noAnswer }
                return value
            }
        }
    }

    /// Ends one session of an account at TaskVault's own server, or all of them.
    ///
    /// - Returns: Whether the session existed.
    /// - Throws: `rejected` if the token is no longer valid; `unsupported`.
    public func endSession(
        _ id: String?, _ accessToken: borrowing SecretBytes
    ) throws -> Bool {
        var object = try SecretText(capacity: SecretText.size(id?.utf8.count ?? 0))
        if let id {
            id.withBytes { object.appendMember("session", $0) }
        } else {
            object.append("{")
        }
        let response = try send(object, to: "/sessions/end", by: accessToken)
        guard response.status == 200 else {
            let error = ErrorResponse(response).removing(accessToken).accountError
            // The server lists sessions, so it is this one that is missing.
            if id != nil, error == .unsupported { return false }
            throw error
        }
        return true
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
            throw ErrorResponse(response).removing(current).removing(new)
                .removing(accessToken).accountError
        }
        return try Self.tokens(response)
    }

    /// Sets a new password of an account at TaskVault's own server, with a reset code of its
    /// operator.
    ///
    /// - Throws: `refused` with the reason; `unsupported`.
    public func resetPassword(
        of account: AccountName, to new: borrowing SecretBytes, code: borrowing SecretBytes
    ) throws {
        var object = try SecretText(
            capacity: SecretText.size(account.text.utf8.count) + SecretText.size(new.count)
                + SecretText.size(code.count))
        account.text.withBytes { object.appendMember("email", $0) }
        code.withBytes { object.appendMember("code", $0) }
        new.withBytes { object.appendMember("new_password", $0) }
        object.append("}")
        let response = try send(
            ClientRequest(
                post: try accountEndpoint("/reset"), fields: Self.fields, contentType: Self.json,
                content: object.finish()))
        guard response.status == 204 else {
            let error = ErrorResponse(response).removing(new).removing(code).accountError
            // The server treats the code as an invitation.
            throw error == .refused(.invitation) ? .refused(.resetCode) : error
        }
    }

    /// See ``AuthClient/removeAccount(_:password:)``.
    public func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws {
        var object = try SecretText(capacity: SecretText.size(password.count))
        password.withBytes { object.appendMember("current_password", $0) }
        let response = try send(object, to: "/remove", by: accessToken)
        guard response.status == 204 else {
            throw ErrorResponse(response).removing(password).removing(accessToken).accountError
        }
    }
}

extension OAuthClient {
    /// Sends a form with plain fields, the secret field `name` unless its name is empty, another
    /// secret field, and a second factor. A client with a secret authenticates itself.
    func post(
        _ fields: [(name: String, value: String)], _ name: String, _ value: borrowing SecretBytes,
        and otherName: String = "", _ other: borrowing SecretBytes? = nil,
        _ factor: SecondFactorAnswer? = nil, to endpoint: WebURL
    ) throws -> ClientResponse {
        let secretInForm = try metadata().requiresSecretPost ? secret : nil
        var plain = fields
        // Two authentication methods in one request are an error (RFC 6749, section 2.3).
        if secret == nil || secretInForm != nil {
            plain.insert(("client_id", clientID), at: min(1, plain.count))
        }
        let size = plain.map { SecretText.size($0.value.utf8.count) }.reduce(0, +)
        let otherSize =
            switch other {
            case .some(let value): value.count
            case .none: 0
            }
        var form = try SecretText(
            capacity: size + SecretText.size(value.count) + SecretText.size(otherSize)
                + SecretText.size(secretInForm?.value.count ?? 0) + (factor?.size ?? 0))
        for (name, value) in plain { value.withBytes { form.appendField(name, $0) } }
        if !name.isEmpty { value.withBytes { form.appendField(name, $0) } }
        switch other {
        case .some(let value): value.withBytes { form.appendField(otherName, $0) }
        case .none: break
        }
        factor?.appendFields(to: &form)
        secretInForm?.value.withBytes { form.appendField("client_secret", $0) }
        guard let secret, secretInForm == nil else {
            return try send(
                ClientRequest(
                    post: endpoint, fields: Self.fields, contentType: Self.form,
                    content: form.finish()))
        }
        return try send(
            ClientRequest(
                post: endpoint, fields: Self.fields,
                authorization: .some(try basic(secret)), contentType: Self.form,
                content: form.finish()))
    }

    /// The error response, without a text that quotes a secret of the request.
    func refusal(
        _ response: borrowing ClientResponse, _ value: borrowing SecretBytes
    ) -> ErrorResponse {
        let refusal = ErrorResponse(response).removing(value)
        guard let secret else { return refusal }
        return refusal.removing(secret.value)
    }

    /// The `Basic` credentials of this client (RFC 6749, section 2.3.1).
    private func basic(_ secret: ClientSecret) throws -> SecretBytes {
        var pair = try SecretText(
            capacity: SecretText.size(clientID.utf8.count) + SecretText.size(secret.value.count))
        clientID.withBytes { pair.appendEscaped($0) }
        pair.append(":")
        secret.value.withBytes { pair.appendEscaped($0) }
        let plain = pair.finish()
        return try Self.authorization("Basic ", Base64.text(ofSecret: plain))
    }

    private func send(_ request: consuming ClientRequest) throws -> ClientResponse {
        do {
            return try http.send(request)
        } catch let error as HTTPClientError {
            throw SignInError(error)
        }
    }

    /// Gets an account endpoint.
    func get(_ path: String, by accessToken: borrowing SecretBytes) throws -> ClientResponse {
        try send(
            ClientRequest(
                get: try accountEndpoint(path), fields: Self.fields,
                authorization: try Self.bearer(accessToken)))
    }

    /// Sends a JSON object to an account endpoint. The caller has appended all members.
    func send(
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

    /// The server's metadata. If it is unavailable, the server got no credential.
    func metadata() throws -> ServerMetadata {
        if let metadata = cachedMetadata.withLock({ $0 }) { return metadata }
        let metadata: ServerMetadata
        do {
            metadata = try requestedMetadata()
        } catch SignInError.unreachable(let detail, _) {
            throw SignInError.unreachable(detail: detail, mayHaveArrived: false)
        } catch SignInError.broken(let detail) {
            throw SignInError.unreachable(detail: detail, mayHaveArrived: false)
        }
        cachedMetadata.withLock { $0 = metadata }
        return metadata
    }

    private func requestedMetadata() throws -> ServerMetadata {
        // RFC 8414 puts the suffix before the path, OpenID Connect Discovery 1.0 after it.
        do {
            return try metadata(at: "/.well-known/oauth-authorization-server" + issuer.path)
        } catch let first as MissingMetadata {
            do {
                return try metadata(at: issuer.path + "/.well-known/openid-configuration")
            } catch let second as MissingMetadata {
                // "Not found" explains less than any other answer.
                throw second.status == 404 ? first.error : second.error
            }
        }
    }

    /// A server without metadata at an address: it may have them at another one.
    private struct MissingMetadata: Error {
        let status: Int
        let error: SignInError
    }

    private func metadata(at path: String) throws -> ServerMetadata {
        let response = try send(ClientRequest(get: try issuer.url.replacing(target: path)))
        guard response.status == 200 else {
            let error = ErrorResponse(response).metadataError
            guard (400...499).contains(response.status), response.status != 429 else { throw error }
            throw MissingMetadata(status: response.status, error: error)
        }
        return try response.content.withBytes { (bytes) throws in
            do {
                return try ServerMetadata(bytes, of: issuer)
            } catch let error as SignInError {
                guard case .broken = error else { throw error }
                throw MissingMetadata(status: 200, error: error)
            }
        }
    }

    private static func bearer(_ token: borrowing SecretBytes) throws -> SecretBytes {
        try authorization("Bearer ", token)
    }

    private static func authorization(
        _ scheme: String, _ credential: borrowing SecretBytes
    ) throws -> SecretBytes {
        var value = try SecretText(capacity: scheme.utf8.count + credential.count)
        value.append(scheme)
        credential.withBytes { bytes in
            for offset in 0..<bytes.byteCount { value.append(bytes[offset]) }
        }
        return value.finish()
    }

    /// The tokens of a response (RFC 6749, section 5.1).
    static func tokens(_ response: borrowing ClientResponse) throws -> GrantedTokens {
        try response.content.withBytes { (bytes) throws -> GrantedTokens in
            guard let object = JSONObject(answer: bytes),
                object.text("token_type", in: bytes)?.lowercased() == "bearer",
                let access = try object.token("access_token", in: bytes)
            else { throw noAnswer }
            var tokens = GrantedTokens(
                access: access, refresh: nil, lifetime: object.seconds("expires_in", in: bytes))
            if object.has("refresh_token") {
                guard let refresh = try object.token("refresh_token", in: bytes) else {
                    throw noAnswer
                }
                tokens.refresh = .some(refresh)
            }
            // Another server may use this name for another purpose, so an invalid value is ignored.
            tokens.device = try object.token("device_token", in: bytes)
            tokens.serverTime = response.date
            tokens.session = object.text("taskvault_session", in: bytes).flatMap { text in
                text.utf8.count <= 64 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                    ? text : nil
            }
            return tokens
        }
    }
}
