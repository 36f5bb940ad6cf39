internal import Accounts
internal import HTTPServer
internal import TextCoding

/// One's own account.
extension AuthServer {
    /// Makes an account.
    func createAccount(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        let members = try members(of: request, ["email", "password", "invitation"])
        let (email, invitation) = try reading { () throws(JSONMembersError) in
            (try members.text("email"), try members.text("invitation"))
        }
        guard let email else { throw .malformed("email is missing") }
        let typed = try secret("password", members)
        guard let name = EmailAddress(email) else { throw .email }
        let network = request.client.network
        return .later(
            .storage,
            { [self] in
                problems { () throws(Problem) in
                    let password = try newPassword(typed)
                    let work: PasswordWork<Account>
                    do throws(AccountServiceError) {
                        work = try service.beginCreation(
                            name, password, invitation: invitation, from: network, at: now())
                    } catch {
                        throw problem(error)
                    }
                    return derivation(PendingWork(work, now: now)) { [self] account in
                        metrics.note(.created)
                        return Self.response(account, status: 201)
                    }
                }
            }, overload: Problem.overloadResponse)
    }

    /// Reads an account.
    func readAccount(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        let token = try accessToken(of: request)
        return reading(
            { [self] in
                problems { () throws(Problem) in
                    let found = try asking { () throws(AccountServiceError) in
                        try service.authenticate(token, at: now())
                    }
                    return .now(Self.response(found.account, status: 200))
                }
            }, overload: Problem.overloadResponse)
    }

    /// Changes a password.
    func changePassword(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        let token = try accessToken(of: request)
        let members = try members(of: request, ["current_password", "new_password"])
        let current = try secret("current_password", members)
        let new = try secret("new_password", members)
        let network = request.client.network
        return .later(
            .storage,
            { [self] in
                problems { () throws(Problem) in
                    try authenticate(token)
                    let new = try newPassword(new)
                    let current = try currentPassword(current)
                    let work: PasswordWork<IssuedTokens>
                    do throws(AccountServiceError) {
                        work = try service.beginPasswordChange(
                            accessToken: token, current: current, new: new, from: network,
                            at: now())
                    } catch {
                        throw problem(error)
                    }
                    return derivation(PendingWork(work, now: now)) { [self] tokens in
                        metrics.note(.passwordChanged)
                        return Self.response(tokens)
                    }
                }
            }, overload: Problem.overloadResponse)
    }

    /// Removes an account.
    func removeAccount(_ request: HTTPRequest) throws(Problem) -> HTTPAnswer {
        let token = try accessToken(of: request)
        let members = try members(of: request, ["current_password"])
        let current = try secret("current_password", members)
        let network = request.client.network
        return .later(
            .storage,
            { [self] in
                problems { () throws(Problem) in
                    try authenticate(token)
                    let current = try currentPassword(current)
                    let work: PasswordWork<Void>
                    do throws(AccountServiceError) {
                        work = try service.beginRemoval(
                            accessToken: token, password: current, from: network, at: now())
                    } catch {
                        throw problem(error)
                    }
                    return derivation(PendingWork(work, now: now)) { _ in .empty(status: 204) }
                }
            }, overload: Problem.overloadResponse)
    }

    /// The part that takes long.
    private func derivation<Value: Sendable>(
        _ pending: PendingWork<Value>, _ response: @escaping @Sendable (Value) -> HTTPResponse
    ) -> HTTPAnswer {
        .later(
            .derivation,
            { [self] in
                problems { () throws(Problem) in
                    let value = try asking { () throws(AccountServiceError) in
                        try pending.finish()
                    }
                    return .now(response(value))
                }
            }, overload: Problem.overloadResponse)
    }

    private static func response(_ account: Account, status: Int) -> HTTPResponse {
        .object(status: status) { json in
            json.member("id", account.id.text)
            json.member("email", account.email.text)
            json.member("created", milliseconds: account.created.milliseconds)
            json.member("password_changed", milliseconds: account.passwordChanged.milliseconds)
        }
    }

    private func accessToken(of request: HTTPRequest) throws(Problem) -> String {
        guard case .bearer(let token) = Authorization(of: request) else { throw .unauthorized }
        return token
    }

    /// Makes sure that a token is good before anything else of the request is said to be wrong.
    private func authenticate(_ token: String) throws(Problem) {
        _ = try asking { () throws(AccountServiceError) in
            try service.authenticate(token, at: now())
        }
    }

    private func members(
        of request: HTTPRequest, _ known: [String]
    ) throws(Problem) -> JSONMembers {
        guard MediaType.json.isContent(of: request) else { throw .unsupportedMediaType }
        return try reading { () throws(JSONMembersError) in
            try JSONMembers(request.body, known: known, limit: options.maximumJSONMembers)
        }
    }

    private func secret(_ name: String, _ members: JSONMembers) throws(Problem) -> HeldSecret {
        let secret = HeldSecret(
            try reading { () throws(JSONMembersError) in try members.secret(name) })
        if secret.isMissing { throw .malformed("\(name) is missing") }
        return secret
    }

    private func newPassword(_ typed: HeldSecret) throws(Problem) -> AccountPassword {
        do throws(AccountPasswordError) {
            return try typed.password()
        } catch {
            switch error {
            case .tooShort: throw .password("a password has at least 8 bytes")
            case .tooLong: throw .password("a password has at most 1,024 bytes")
            case .encoding: throw .password("a password is UTF-8")
            case .outOfMemory: throw .unavailable
            }
        }
    }

    /// What cannot be a password is a wrong one.
    private func currentPassword(_ typed: HeldSecret) throws(Problem) -> AccountPassword {
        do throws(AccountPasswordError) {
            return try typed.password()
        } catch .outOfMemory {
            throw .unavailable
        } catch {
            throw .wrongPassword
        }
    }

    private func reading<Value: ~Copyable>(
        _ body: () throws(JSONMembersError) -> Value
    ) throws(Problem) -> Value {
        do throws(JSONMembersError) {
            return try body()
        } catch {
            throw Problem(error)
        }
    }

    private func asking<Value>(
        _ body: () throws(AccountServiceError) -> Value
    ) throws(Problem) -> Value {
        do throws(AccountServiceError) {
            return try body()
        } catch {
            throw problem(error)
        }
    }
}
