internal import Accounts
internal import HTTPServer
internal import TextCoding

/// The caller's own account.
extension AuthServer {
    /// Creates an account.
    func createAccount(_ request: HTTPRequest) throws -> HTTPAnswer {
        let members = try members(of: request, ["email", "password", "invitation"])
        let email = members.text("email")
        let invitation = members.text("invitation")
        guard let email else { throw RequestError.malformed("email is missing") }
        let typed = try secret("password", members)
        guard let name = EmailAddress(email) else { throw RequestError.email }
        return later(.storage, .problem) { [self] in
            let work = try service.beginCreation(
                name, typed, invitation: invitation, from: request.client.networks, at: now())
            return derivation(work, for: request, .problem) { [self] work in
                let account = try work.finish(at: now())
                metrics.note(.created)
                audit(.created, account.id, request)
                return Self.response(account.profile, status: 201)
            }
        }
    }

    /// Reads the account.
    func readAccount(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return reading(.problem) { [self] in
            let found = try service.authenticate(token, at: now())
            return .now(Self.response(found.account, status: 200))
        }
    }

    /// Changes the password.
    func changePassword(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try members(of: request, ["current_password", "new_password"])
        let current = try secret("current_password", members)
        let new = try secret("new_password", members)
        return later(.storage, .problem) { [self] in
            // An invalid token is reported before any other error of the request.
            _ = try service.authenticate(token, at: now())
            let work = try service.beginPasswordChange(
                accessToken: token, current: current, new: new, at: now())
            return derivation(work, for: request, .problem) { [self] work in
                let tokens = try finish(work, request)
                metrics.note(.passwordChanged)
                audit(.passwordChanged, tokens.account, request)
                return Self.response(tokens)
            }
        }
    }

    /// Sets a new password with a code from the operator.
    func resetPassword(_ request: HTTPRequest) throws -> HTTPAnswer {
        let members = try members(of: request, ["email", "code", "new_password"])
        guard let email = members.text("email") else {
            throw RequestError.malformed("email is missing")
        }
        guard let code = members.text("code") else {
            throw RequestError.malformed("code is missing")
        }
        let new = try secret("new_password", members)
        guard let name = EmailAddress(email) else { throw RequestError.email }
        return later(.storage, .problem) { [self] in
            let work = try service.beginReset(name, code: code, new: new, at: now())
            return derivation(work, for: request, .problem) { [self] work in
                let account = try work.finish(at: now())
                metrics.note(.passwordChanged)
                audit(.passwordReset, account, request)
                return .empty(status: 204)
            }
        }
    }

    /// Removes the account.
    func removeAccount(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try members(of: request, ["current_password"])
        let current = try secret("current_password", members)
        return later(.storage, .problem) { [self] in
            _ = try service.authenticate(token, at: now())
            let work = try service.beginRemoval(
                accessToken: token, password: current, at: now())
            return derivation(work, for: request, .problem) { [self] work in
                try finish(work, request)
                audit(.removed, work.account, request)
                return .empty(status: 204)
            }
        }
    }

    /// Finishes an operation that verifies the current password.
    private func finish<Value: Sendable>(
        _ work: PasswordWork<Value>, _ request: HTTPRequest
    ) throws -> Value {
        do {
            return try work.finish(at: now())
        } catch {
            auditRefusal(error, work.account, request)
            throw error
        }
    }

    /// The number of events that the owner of an account sees.
    private static let shownEvents = 20

    /// Lists the sessions of the account, and what its owner should know.
    func listSessions(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        return reading(.problem) { [self] in
            let (sessions, current) = try service.sessions(token, at: now())
            let events = try service.events(token, limit: Self.shownEvents, at: now())
            return .now(
                .object { json in
                    json.member("sessions", sessions) { json, own in
                        json.member("id", own.session.id.text)
                        json.member("device", own.device)
                        json.member("network", own.network)
                        json.member("created", milliseconds: own.session.created.milliseconds)
                        json.member("used", milliseconds: own.session.refreshed.milliseconds)
                        json.member("current", own.session.id == current)
                    }
                    json.member("events", events) { json, event in
                        json.member("time", milliseconds: event.time.milliseconds)
                        json.member("action", event.action.rawValue)
                        json.member("network", event.network)
                        json.member("device", event.device)
                    }
                })
        }
    }

    /// Ends a session of the account, or all of them.
    func endSessions(_ request: HTTPRequest) throws -> HTTPAnswer {
        let token = try bearer(of: request)
        let members = try members(of: request, ["session"])
        let text = members.text("session")
        let id = text.flatMap { SessionID($0) }
        guard text == nil || id != nil else { throw RequestError.notFound }
        return later(.storage, .problem) { [self] in
            let (ended, account) = try service.end(id, token, at: now())
            guard id == nil || ended > 0 else { throw RequestError.notFound }
            audit(.sessionsEnded, account, request)
            return .now(.object { json in json.member("ended_sessions", Int64(ended)) })
        }
    }

    private static func response(_ account: AccountProfile, status: Int) -> HTTPResponse {
        .object(status: status) { json in
            json.member("id", account.id.text)
            json.member("email", account.email.text)
            json.member("email_verified", account.isEmailVerified)
            json.member("created", milliseconds: account.created.milliseconds)
            json.member("password_changed", milliseconds: account.passwordChanged.milliseconds)
        }
    }

    /// The token of a request.
    func bearer(of request: HTTPRequest) throws -> String {
        switch Authorization(of: request) {
        case .bearer(let token): return token
        case .malformed: throw RequestError.unauthorized
        case .basic, .unsupported, nil: throw RequestError.tokenMissing
        }
    }

    /// The members of a request's object.
    func members(of request: HTTPRequest, _ known: [String]) throws -> JSONMembers {
        guard MediaType.json.isContent(of: request) else {
            throw RequestError.unsupportedMediaType
        }
        return try JSONMembers(request.body, known: known, limit: options.maximumJSONMembers)
    }

    private func secret(_ name: String, _ members: JSONMembers) throws -> TypedPassword {
        let secret = TypedPassword(try members.secret(name))
        if secret.isMissing { throw RequestError.malformed("\(name) is missing") }
        return secret
    }
}
