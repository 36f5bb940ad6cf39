internal import HTTPClient
internal import SecretMemory
internal import TextCoding

/// The grants by which the person signs in on a page of the server.
extension OAuthClient {
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// The ways in which the server signs a person in, the preferred one first. Sends at most one
    /// metadata request.
    public func methods() throws -> [SignInMethod] { try metadata().methods }

    /// See ``AuthClient/takesPasswords()``.
    public func takesPasswords() throws -> Bool { try methods().contains(.password) }

    /// The scopes of a request; empty for the server's default.
    private func requestedScope() throws -> String {
        scope.isEmpty ? try metadata().scopes.joined(separator: " ") : scope
    }

    /// The address of the server's page for a request.
    ///
    /// - Parameters:
    ///   - request: The random values.
    ///   - redirect: The redirect URI.
    ///   - account: The account that the person named, as a hint for the page.
    /// - Returns: The address.
    /// - Throws: `unsupported` without an authorization endpoint; ``SignInError`` of the metadata.
    func authorizationAddress(
        _ request: AuthorizationRequest, redirect: String, account: AccountName?
    ) throws -> String {
        guard let endpoint = try metadata().authorization else { throw SignInError.unsupported }
        var fields = [
            (name: "response_type", value: "code"), ("client_id", clientID),
            ("redirect_uri", redirect), ("state", request.state),
            ("code_challenge", request.challenge), ("code_challenge_method", "S256"),
        ]
        let scope = try requestedScope()
        if !scope.isEmpty { fields.append(("scope", scope)) }
        if scope.split(separator: " ").contains("openid") {
            fields.append(("nonce", request.nonce))
        }
        if let account { fields.append(("login_hint", account.text)) }
        // The endpoint may have a query of its own (RFC 6749, section 3.1).
        return endpoint.description + (endpoint.query == nil ? "?" : "&")
            + (try WebForm.text(fields))
    }

    /// Exchanges the code of an authorization response for tokens (RFC 6749, section 4.1.3).
    ///
    /// - Parameters:
    ///   - query: The query of the redirect.
    ///   - request: The random values of the request.
    ///   - redirect: The redirect URI of the request.
    ///   - now: The time.
    /// - Returns: The tokens.
    /// - Throws: As ``AuthorizationRequest/code(in:of:)``, and any ``SignInError``.
    func exchange(
        _ query: String, of request: AuthorizationRequest, redirect: String, at now: PointInTime
    ) throws -> GrantedTokens {
        let metadata = try metadata()
        let code = try request.code(in: query, of: metadata)
        let response = try post(
            [("grant_type", "authorization_code"), ("redirect_uri", redirect)], "code", code,
            and: "code_verifier", .some(try request.verifier.copy()), to: metadata.token)
        guard response.status == 200 else {
            throw refusal(response, code).removing(request.verifier).codeError
        }
        let isOpenID = try requestedScope().split(separator: " ").contains("openid")
        return try identified(response, nonce: isOpenID ? request.nonce : nil, at: now)
    }

    /// Requests the codes of the device grant (RFC 8628, section 3.1).
    ///
    /// - Throws: `unsupported` without an endpoint; any ``SignInError``.
    func authorizeDevice() throws -> DeviceAuthorization {
        guard let endpoint = try metadata().device else { throw SignInError.unsupported }
        let scope = try requestedScope()
        let nothing = try SecretBytes(count: 0)
        let response = try post(
            scope.isEmpty ? [] : [("scope", scope)], "", nothing, to: endpoint)
        guard response.status == 200 else { throw refusal(response, nothing).codeError }
        return try response.content.withBytes { (bytes) throws in
            try DeviceAuthorization(bytes, of: issuer)
        }
    }

    /// Asks once whether the person has signed in on a device (RFC 8628, section 3.4).
    ///
    /// - Parameters:
    ///   - code: The device code.
    ///   - now: The time.
    /// - Returns: The answer.
    /// - Throws: `denied`, `notCompleted` after the codes have expired, and any ``SignInError``.
    func askDevice(_ code: borrowing SecretBytes, at now: PointInTime) throws -> DeviceAnswer {
        let endpoint = try metadata().token
        let response: ClientResponse
        do {
            response = try post(
                [("grant_type", Self.deviceGrant)], "device_code", code, to: endpoint)
        } catch SignInError.broken(let detail) {
            throw Self.gateway(detail)
        }
        guard response.status != 200 else {
            return .granted(try identified(response, nonce: nil, at: now))
        }
        let refusal = refusal(response, code)
        switch refusal.error {
        case "authorization_pending": return .pending
        case "slow_down": return .slowDown
        case "access_denied": throw SignInError.denied
        case "expired_token": throw SignInError.notCompleted
        default: break
        }
        let error = refusal.codeError
        if case .broken(let detail) = error { throw Self.gateway(detail) }
        throw error
    }

    /// The error of an answer that is not the server's own: the codes stay valid.
    private static func gateway(_ detail: String) -> SignInError {
        .unreachable(detail: detail, mayHaveArrived: true)
    }

    /// The tokens of a response, with the account that its ID token names.
    private func identified(
        _ response: borrowing ClientResponse, nonce: String?, at now: PointInTime
    ) throws -> GrantedTokens {
        var tokens = try Self.tokens(response)
        let metadata = try metadata()
        let time = response.date.map { PointInTime(seconds: $0) } ?? now
        tokens.account = try response.content.withBytes { (bytes) throws -> AccountName? in
            guard let object = JSONObject(answer: bytes),
                let token = try object.secret("id_token", in: bytes)
            else { return nil }
            return try IDToken.account(
                in: token, of: metadata, for: clientID, nonce: nonce, at: time)
        }
        return tokens
    }
}
