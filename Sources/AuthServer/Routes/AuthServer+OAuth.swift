internal import Accounts
internal import HTTPServer
internal import TextCoding

/// Revocation (RFC 7009), introspection (RFC 7662), and what all OAuth endpoints have in common.
extension AuthServer {
    /// Ends a session or an access token.
    func revoke(_ request: HTTPRequest) throws(OAuthError) -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        let token = try sentToken(form)
        return .later(
            .storage,
            { [self] in
                oauth { () throws(OAuthError) in
                    let outcome = try serving { () throws(AccountServiceError) in
                        try service.revoke(token, client: client.name)
                    }
                    if outcome == .foreign {
                        throw OAuthError(
                            code: .unauthorizedClient,
                            description: "the token was issued to another client")
                    }
                    return .now(.empty(status: 200))
                }
            }, overload: OAuthError.overloadResponse)
    }

    /// Tells what a token is worth.
    func introspect(_ request: HTTPRequest) throws(OAuthError) -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        guard client.secret != nil else { throw .invalidClient }
        let token = try sentToken(form)
        return reading(
            { [self] in
                oauth { () throws(OAuthError) in
                    let found = try serving { () throws(AccountServiceError) in
                        try service.describe(token, at: now())
                    }
                    return .now(introspection(found))
                }
            }, overload: OAuthError.overloadResponse)
    }

    private func introspection(_ found: TokenDescription?) -> HTTPResponse {
        .object { json in
            json.member("active", found != nil)
            guard let found else { return }
            json.member("client_id", found.session.client)
            json.member("username", found.account.email.text)
            json.member("sub", found.account.id.text)
            json.member("scope", Scope.account)
            json.member("token_type", found.kind == .access ? "Bearer" : "refresh_token")
            json.member("iat", found.issued.seconds)
            json.member("exp", found.expires.seconds)
            json.member("iss", options.issuer)
        }
    }

    /// Runs what only reads: at once where reading waits for nobody.
    func reading(
        _ body: @escaping @Sendable () -> HTTPAnswer, overload: HTTPResponse
    ) -> HTTPAnswer {
        options.readsAtOnce ? body() : .later(.storage, body, overload: overload)
    }

    /// The form of a request to an OAuth endpoint.
    func form(of request: HTTPRequest) throws(OAuthError) -> Form {
        guard request.query == nil else {
            throw .invalidRequest("parameters belong into the content, not into the URL")
        }
        guard MediaType.form.isContent(of: request) else {
            throw .invalidRequest("the content has to be \(MediaType.form.rawValue)")
        }
        return try reading { () throws(FormError) in
            try Form(request.body, limit: options.maximumFormFields)
        }
    }

    /// Reads from a form.
    func reading<Value: ~Copyable>(
        _ body: () throws(FormError) -> Value
    ) throws(OAuthError) -> Value {
        do throws(FormError) {
            return try body()
        } catch {
            throw OAuthError(error)
        }
    }

    /// Asks the service.
    func serving<Value>(
        _ body: () throws(AccountServiceError) -> Value
    ) throws(OAuthError) -> Value {
        do throws(AccountServiceError) {
            return try body()
        } catch {
            throw oauthError(error)
        }
    }

    private func sentToken(_ form: Form) throws(OAuthError) -> String {
        let token = try reading { () throws(FormError) in try form.text("token") }
        guard let token else { throw .invalidRequest("token is missing") }
        return token
    }
}
