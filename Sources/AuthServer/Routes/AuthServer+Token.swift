internal import Accounts
internal import HTTPServer
internal import SecretMemory
internal import TextCoding

/// The token endpoint (RFC 6749 section 3.2).
extension AuthServer {
    /// Issues tokens for a password (section 4.3) or a refresh token (section 6).
    func token(_ request: HTTPRequest) throws(OAuthError) -> HTTPAnswer {
        let form = try form(of: request)
        let client = try clients.client(of: request, form)
        let (grant, scope) = try reading { () throws(FormError) in
            (try form.text("grant_type"), try form.text("scope"))
        }
        guard let grant else { throw .invalidRequest("grant_type is missing") }
        // Whoever has a secret is a service, and no place to type a password into.
        guard client.secret == nil else {
            throw OAuthError(
                code: .unauthorizedClient, description: "this client may not use the grant")
        }
        guard Scope.isGranted(scope) else {
            throw OAuthError(code: .invalidScope, description: "the only scope is account")
        }
        switch grant {
        case "password": return try signIn(request, form, client)
        case "refresh_token": return try refresh(form, client)
        default:
            throw OAuthError(
                code: .unsupportedGrantType,
                description: "grant_type has to be password or refresh_token")
        }
    }

    private func signIn(
        _ request: HTTPRequest, _ form: Form, _ client: OAuthClient
    ) throws(OAuthError) -> HTTPAnswer {
        let username = try reading { () throws(FormError) in try form.text("username") }
        guard let username else { throw .invalidRequest("username is missing") }
        let typed = HeldSecret(
            try reading { () throws(FormError) in try form.secret("password") })
        if typed.isMissing { throw .invalidRequest("password is missing") }
        // Neither has an account, and whoever typed it learns no more than that.
        guard let name = EmailAddress(username) else { throw rejected() }
        let network = request.client.network
        return .later(
            .storage,
            { [self] in
                oauth { () throws(OAuthError) in
                    let password = try password(typed)
                    let work: PasswordWork<IssuedTokens>
                    do throws(AccountServiceError) {
                        work = try service.beginSignIn(
                            name, password, client: client.name, from: network, at: now())
                    } catch {
                        throw oauthError(error)
                    }
                    return derivation(PendingWork(work, now: now))
                }
            }, overload: OAuthError.overloadResponse)
    }

    /// What cannot be a password is a wrong one.
    private func password(_ typed: HeldSecret) throws(OAuthError) -> AccountPassword {
        do throws(AccountPasswordError) {
            return try typed.password()
        } catch .outOfMemory {
            throw .unavailable
        } catch {
            throw rejected()
        }
    }

    /// The part of a sign-in that takes long.
    private func derivation(_ pending: PendingWork<IssuedTokens>) -> HTTPAnswer {
        .later(
            .derivation,
            { [self] in
                oauth { () throws(OAuthError) in
                    do throws(AccountServiceError) {
                        let tokens = try pending.finish()
                        metrics.note(.signedIn)
                        return .now(Self.response(tokens))
                    } catch .rejected {
                        throw rejected()
                    } catch {
                        throw oauthError(error)
                    }
                }
            }, overload: OAuthError.overloadResponse)
    }

    private func refresh(_ form: Form, _ client: OAuthClient) throws(OAuthError) -> HTTPAnswer {
        let token = try reading { () throws(FormError) in try form.text("refresh_token") }
        guard let token else { throw .invalidRequest("refresh_token is missing") }
        return .later(
            .storage,
            { [self] in
                oauth { () throws(OAuthError) in
                    do throws(AccountServiceError) {
                        let tokens = try service.refresh(token, client: client.name, at: now())
                        metrics.note(.refreshed)
                        return .now(Self.response(tokens))
                    } catch .rejected {
                        metrics.note(.refreshRefused)
                        throw .refreshRefused
                    } catch {
                        throw oauthError(error)
                    }
                }
            }, overload: OAuthError.overloadResponse)
    }

    /// The tokens as an answer (section 5.1).
    static func response(_ tokens: IssuedTokens) -> HTTPResponse {
        .object { json in
            json.member("access_token", tokens.access)
            json.member("token_type", "Bearer")
            json.member("expires_in", tokens.accessLifetime.components.seconds)
            json.member("refresh_token", tokens.refresh)
            json.member("scope", Scope.account)
        }
    }

    private func rejected() -> OAuthError {
        metrics.note(.rejected)
        return .rejected
    }
}
