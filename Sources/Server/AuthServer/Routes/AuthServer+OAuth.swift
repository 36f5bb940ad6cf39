internal import Accounts
internal import HTTPServer
internal import Passkeys
internal import SecretMemory
internal import TextCoding

/// The token endpoint (RFC 6749 section 3.2).
extension AuthServer {
    /// Issues tokens for a password (section 4.3) or a refresh token (section 6).
    func token(_ request: HTTPRequest) throws -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        guard let grant = try form.text("grant_type") else {
            throw RequestError.invalidRequest("grant_type is missing")
        }
        guard client.secret == nil else { throw RequestError.grantNotAllowed }
        let wanted = try clients.grant(of: form)
        switch grant {
        case "password": return try signIn(request, form, client, for: wanted)
        case "refresh_token": return try refresh(request, form, client, for: wanted)
        default: throw RequestError.unsupportedGrant
        }
    }

    private func signIn(
        _ request: HTTPRequest, _ form: Form, _ client: RegisteredClient, for wanted: GrantRequest
    ) throws -> HTTPAnswer {
        guard let grant = wanted.grant(within: client.grant) else {
            throw RequestError.invalidTarget
        }
        let username = try form.required("username")
        let typed = TypedPassword(try form.secret("password"))
        if typed.isMissing { throw RequestError.invalidRequest("password is missing") }
        // An invalid name or password gets the same answer as a wrong password.
        guard let name = EmailAddress(username) else { throw rejected() }
        var origin = SignInOrigin(
            name: try form.unicodeText("device_name") ?? "",
            continued: try form.unicodeText("taskvault_session").flatMap { SessionID($0) },
            token: try form.unicodeText("device_token"))
        guard let proof = try SecondFactorFields({ try form.text($0) }).proof else {
            throw RequestError.invalidRequest("the second factor is not one")
        }
        origin.proof = proof.value
        origin.page = try form.text("page_origin").flatMap { PageOrigin($0) }
        return later(.storage, .oauth) { [self, origin] in
            let work: PasswordWork<IssuedTokens>
            do {
                work = try service.beginSignIn(
                    name, typed, client: client.name, for: grant, origin,
                    from: request.client.networks, at: now())
            } catch {
                auditRefusal(error, nil, request)
                throw error
            }
            return derivation(work, for: request, .oauth) { [self] work in
                do {
                    let tokens = try work.finish(at: now())
                    metrics.note(.signedIn)
                    audit(.signedIn, tokens.account, request)
                    if tokens.device != nil {
                        metrics.note(.deviceAdded)
                        audit(.deviceAdded, tokens.account, request)
                    }
                    if tokens.usedRecoveryCode {
                        audit(.recoveryCodeUsed, tokens.account, request)
                    }
                    return Self.response(tokens)
                } catch {
                    auditRefusal(error, work.account, request)
                    if case AccountError.secondFactorRequired(let demand) = error {
                        return Self.response(demand)
                    }
                    if case AccountError.rejected = error { throw rejected() }
                    if case AccountError.disabled = error { metrics.note(.rejected) }
                    throw error
                }
            }
        }
    }

    private func rejected() -> RequestError {
        metrics.note(.rejected)
        return .rejected
    }

    /// A refresh that is stored together with others.
    struct Refresh: Sendable {
        fileprivate let refresh: RefreshRequest
        fileprivate let request: HTTPRequest
    }

    private func refresh(
        _ request: HTTPRequest, _ form: Form, _ client: RegisteredClient, for wanted: GrantRequest
    ) throws -> HTTPAnswer {
        let token = try form.required("refresh_token")
        return reading(.oauth) { [self] in
            let found = try service.beginRefresh(
                token, client: client.name, for: wanted, from: request.client.networks)
            guard let found else {
                metrics.note(.refreshRefused)
                throw RequestError.refreshRefused
            }
            let change = Refresh(refresh: found, request: request)
            return .deferred { [self] answer in
                let hasRoom = refreshes.add((change: change, answer: answer)) { [self] in
                    store($0)
                }
                if !hasRoom { answer.give(RequestError.Form.oauth.overloadResponse) }
            }
        }
    }

    private func store(_ batch: [BatchQueue<Refresh>.Entry]) {
        do {
            let outcomes = try service.refresh(batch.map(\.change.refresh), at: now())
            for (entry, outcome) in zip(batch, outcomes) {
                entry.answer.give(response(outcome, entry.change.request))
            }
        } catch {
            // One row that cannot be read must not refuse the others.
            if batch.count > 1, !repository.canRetry(after: error) {
                for entry in batch { store([entry]) }
                return
            }
            let response = requestError(error, .oauth).response
            for entry in batch { entry.answer.give(response) }
        }
    }

    private func response(_ outcome: RefreshOutcome, _ request: HTTPRequest) -> HTTPResponse {
        switch outcome {
        case .issued(let tokens):
            metrics.note(.refreshed)
            return Self.response(tokens)
        case .wrongResource: return RequestError.invalidTarget.response
        case .reused(let account):
            metrics.note(.tokenReused)
            audit(.tokenReused, account, request)
        case .disabled:
            metrics.note(.refreshRefused)
            return RequestError.accountDisabled.response
        case .refused: break
        }
        metrics.note(.refreshRefused)
        return RequestError.refreshRefused.response
    }

    /// The tokens as an answer (section 5.1).
    static func response(_ tokens: IssuedTokens) -> HTTPResponse {
        .object { json in
            json.member("access_token", tokens.access)
            json.member("token_type", "Bearer")
            json.member("expires_in", tokens.accessLifetime.components.seconds)
            json.member("refresh_token", tokens.refresh)
            json.member("scope", tokens.grant.scope.text)
            // RFC 6749 section 5.1 allows additional members.
            if let device = tokens.device { json.member("device_token", device) }
            json.member("taskvault_session", tokens.session.text)
        }
    }

    /// The form of a request to an OAuth endpoint.
    private func form(of request: HTTPRequest) throws -> Form {
        guard request.query == nil else {
            throw RequestError.invalidRequest("parameters must be in the content, not in the URL")
        }
        guard MediaType.form.isContent(of: request) else {
            throw RequestError.invalidRequest(
                "the content must be \(MediaType.form.rawValue)")
        }
        return try Form(request.body, limit: options.maximumFormFields)
    }
}

/// Revocation (RFC 7009), introspection (RFC 7662) and metadata (RFC 8414).
extension AuthServer {
    /// Revokes a session or an access token.
    func revoke(_ request: HTTPRequest) throws -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        let token = try form.required("token")
        return later(.storage, .oauth) { [self] in
            switch try service.revoke(token, client: client.name) {
            case .revoked(let account):
                metrics.note(.tokenRevoked)
                audit(.tokenRevoked, account, request)
            case .unknown: break
            case .foreign: throw RequestError.foreignToken
            }
            return .now(.empty(status: 200))
        }
    }

    /// Describes a token to a confidential client.
    func introspect(_ request: HTTPRequest) throws -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        guard client.secret != nil else { throw RequestError.invalidClient }
        let token = try form.required("token")
        return reading(.oauth) { [self] in
            let now = now()
            let question = KeptAnswers.Question(token: TokenHash(of: token), client: client.name)
            let response = try introspections.answer(question, at: now) {
                let found = try service.describe(token, to: client.name, at: now)
                return introspection(found, for: client)
            }
            return .now(response)
        }
    }

    private func introspection(
        _ found: TokenDescription?, for client: RegisteredClient
    ) -> KeptAnswers.Answer {
        // A service that named its URL learns nothing about tokens for others.
        let isShown =
            client.grant.resource == nil || found?.grant.resource == client.grant.resource
        guard let found, isShown else {
            return KeptAnswers.Answer(
                response: .object { json in json.member("active", false) }, end: nil)
        }
        return KeptAnswers.Answer(
            response: introspection(found), end: min(found.expires, found.session.expires))
    }

    private func introspection(_ found: TokenDescription) -> HTTPResponse {
        .object { json in
            json.member("active", true)
            json.member("client_id", found.session.client)
            json.member("username", found.account.email.text)
            // OpenID Connect Core section 5.1.
            json.member("email_verified", found.account.isEmailVerified)
            json.member("sub", found.account.id.text)
            json.member("scope", found.grant.scope.text)
            json.member("aud", found.grant.resource ?? options.issuer)
            // RFC 6749 defines types only for access tokens.
            if found.kind == .access { json.member("token_type", "Bearer") }
            json.member("iat", found.issued.seconds)
            json.member("exp", found.expires.seconds)
            json.member("iss", options.issuer)
        }
    }
}

extension Form {
    /// The value of a required parameter: the user's name, or a token, whose size is checked before it is compared.
    fileprivate func required(_ name: String) throws -> String {
        guard let text = try unicodeText(name) else {
            throw RequestError.invalidRequest("\(name) is missing")
        }
        return text
    }
}
