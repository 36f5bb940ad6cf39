package import HTTPClient
internal import Platform
package import SecretMemory
package import SecureStorage
package import SignIn
package import TextCoding
package import VaultAgent

/// The vault, the auth server and this machine's state for a sign-in.
package struct SignInPlace {
    package let store: any SecureStore
    package var settings: SignInSettings
    package let client: OAuthClient
    /// The connection, for further features of the server.
    package let http: HTTPClient
    package let machine: MachineState

    /// The server's address, for messages.
    package var server: String { client.issuer.text }
}

/// The sign-in at the auth server that the vault names.
package struct SignInAccess {
    /// The limits of a background sign-in, in seconds: for another process, a connection, and one
    /// or all exchanges.
    private static let silentLimits = (3, 3, 10)
    /// The largest answer, in bytes: a checklist, or 64 messages.
    private static let largestAnswer = 2_097_152

    private let vault: VaultAccess
    let errors: ErrorContext

    /// Creates the access.
    package init(_ vault: VaultAccess, _ errors: ErrorContext) {
        self.vault = vault
        self.errors = errors
    }

    var now: @Sendable () -> PointInTime { vault.options.now }
    var owner: any Owner { vault.owner }
    var environment: EnvironmentVariables { vault.options.environment }

    /// Runs `body` with the vault and the server.
    ///
    /// - Parameter body: Receives both.
    /// - Returns: The result of `body`.
    /// - Throws: A failure if no server is set or the vault is locked, or the error of `body`.
    package func withSignIn<Result>(_ body: (SignInPlace) throws -> Result) throws -> Result {
        // A sign-in command signs in by itself.
        try vault.withStore(.changing, signsIn: false) { store in
            try body(try place(of: store.secrets))
        }
    }

    /// The vault and the server.
    ///
    /// - Throws: A failure if no server is set.
    package func place(of store: any SecureStore) throws -> SignInPlace {
        guard let place = try place(store, try settings(in: store), isSilent: false) else {
            throw Failure(
                .notFound, code: "no_server", "no auth server is set",
                hint: errors.command("settings set server https://auth.example.org"))
        }
        return place
    }

    /// The current settings of the sign-in.
    package func settings(in store: any SecureStore) throws -> SignInSettings {
        do {
            return try SignInSettings(store)
        } catch SecureStoreError.damaged(failure: "sign_in_settings") {
            throw Failure(
                .damaged, code: "sign_in_settings",
                "the sign-in settings are damaged; the rest of the vault is not affected",
                hint: errors.command("secret remove taskvault.sign-in settings") + " removes them")
        }
    }

    /// The place of a sign-in; nil if no server is set.
    private func place(
        _ store: any SecureStore, _ settings: SignInSettings, isSilent: Bool,
        limitingAll isLimitingAll: Bool = true
    ) throws -> SignInPlace? {
        guard let server = settings.server else { return nil }
        errors.server = server.text
        guard let folder = vault.folders.signIn else {
            throw Failure.usage(
                "no folder for this machine's state is known", hint: "set HOME")
        }
        var options = HTTPClientOptions()
        if isSilent {
            options.connectingTimeout = .seconds(Self.silentLimits.1)
            options.timeout = .seconds(Self.silentLimits.2)
            if isLimitingAll { options.deadline = .now + options.timeout }
        }
        if !settings.authorities.isEmpty { options.authorities = .bytes(settings.authorities) }
        for key in settings.pinnedKeys { options.pinnedKeys.append(try PinnedKey(key)) }
        options.maximumContentSize = Self.largestAnswer
        let http = try HTTPClient(options)
        return SignInPlace(
            store: store, settings: settings,
            client: OAuthClient(
                server, endpoints: settings.endpoints, clientID: settings.clientID,
                secret: settings.clientSecret,
                scope: settings.scope, deviceName: HostName.current, http), http: http,
            machine: isSilent
                ? MachineState(folder: folder, lockTimeout: .seconds(Self.silentLimits.0))
                : MachineState(folder: folder))
    }

    /// The server for short background exchanges; nil if none is set.
    ///
    /// - Parameters:
    ///   - store: The vault.
    ///   - isLimitingAll: Whether the time limit applies to all exchanges together, or to each.
    /// - Returns: The server.
    /// - Throws: The reason why no request is possible.
    package func silentPlace(
        _ store: any SecureStore, limitingAll isLimitingAll: Bool = true
    ) throws -> SignInPlace? {
        try place(store, try settings(in: store), isSilent: true, limitingAll: isLimitingAll)
    }

    /// The account of a typed name, or the one that signed in last, or the answer to a prompt.
    package func accountName(_ typed: String?, _ place: SignInPlace) throws -> AccountName {
        let text: String
        if let typed {
            text = typed
        } else if let account = place.settings.account {
            text = account.text
        } else {
            guard vault.owner.canAnswer else {
                throw Failure.usage(
                    "missing EMAIL", hint: "give the e-mail address of the account")
            }
            text = try vault.owner.askText("E-mail", "the e-mail address")
        }
        guard let name = AccountName(text) else {
            throw Failure.usage("invalid account name")
        }
        errors.account = name.text
        return name
    }

    /// The account that signed in last.
    package func signedInAccount(_ place: SignInPlace) throws -> AccountName {
        guard let account = try session(place)?.account ?? place.settings.account else {
            throw Failure(
                .notFound, code: "not_signed_in", "no account has signed in at \(place.server)",
                hint: errors.command("login"))
        }
        return account
    }

    /// The failure of an operation that needs a session.
    package func notSignedIn(_ place: SignInPlace) -> Failure {
        Failure(
            .notFound, code: "not_signed_in", "not signed in at \(place.server)",
            hint: errors.command("login"))
    }

    /// The failure of an operation for which the person must sign in on the server's page.
    ///
    /// - Parameters:
    ///   - place: The server.
    ///   - account: The account whose session the server ended; nil without a session.
    /// - Returns: The failure.
    package func needsBrowser(_ place: SignInPlace, account: AccountName?) -> Failure {
        Failure(
            .notFound, code: "needs_browser",
            account.map { "\(place.server) ended the session of \($0.text)" }
                ?? "\(place.server) asks on a page of its own", hint: errors.command("login"))
    }

    /// This machine's session.
    package func session(_ place: SignInPlace) throws -> MachineSession? {
        try withCache(place) { cache in try cache.session() }
    }

    /// The lead of this machine's clock over the server's at the last sign-in, in seconds; nil if
    /// unknown.
    package func clockDifference(in store: any SecureStore) throws -> Int64? {
        guard let server = try settings(in: store).server, let folder = vault.folders.signIn else {
            return nil
        }
        let machine = MachineState(folder: folder, lockTimeout: .seconds(Self.silentLimits.0))
        return try machine.withCache(of: server, in: store) { cache in
            try cache.session()?.clockDifference
        }
    }

    /// Runs `body` with the cached credentials, under a lock against other sign-ins of this
    /// machine.
    package func withCache<Value: ~Copyable>(
        _ place: SignInPlace, _ body: (CredentialCache) throws -> Value
    ) throws -> Value {
        try place.machine.withCache(of: place.client.issuer, in: place.store, body)
    }

    /// Stores the account in the settings, which another program may have changed in the meantime.
    package func noteAccount(_ account: AccountName?, _ place: SignInPlace) throws {
        try withCache(place) { _ in
            try SignInSettings.change(place.store) { settings in
                guard settings.server == place.settings.server else { return }
                settings.account = account
            }
        }
    }

    /// The remaining time of an offline sign-in.
    package func offline(_ place: SignInPlace) throws -> OfflineAllowance {
        let now = now()
        let session = try withCache(place) { cache in
            // A clock that is later set back ends the allowance.
            try cache.recordTime(now)
            return try cache.session()
        }
        return session?.offline(limit: place.settings.options.offlineLimit, at: now) ?? .never
    }

    /// The remaining time as text.
    package func timeLeft(until end: PointInTime) -> String {
        let milliseconds = max(0, end.milliseconds - now().milliseconds)
        let minutes = UInt64(milliseconds) / 60_000
        return TimeSpan(seconds: minutes > 0 ? minutes * 60 : UInt64(milliseconds) / 1_000).text
    }
}

// Signing in, and requests to the server.
extension SignInAccess {
    /// Signs in and stores the account.
    ///
    /// - Parameters:
    ///   - account: The account that signs in.
    ///   - place: The vault and the server.
    ///   - passwords: Provides a password if the vault has none that the server accepts.
    ///   - isAskedFor: Whether the person requested the sign-in; if so, it also happens after a
    ///     sign-out.
    /// - Returns: The access token from the server.
    /// - Throws: The reason why the person is not signed in.
    @discardableResult
    package func signIn(
        _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool = true
    ) throws -> SecretBytes {
        var login = LoginFlow(context(account, place), isRequested: isAskedFor)
        switch try outcome(&login, account, place, asking: passwords, isAskedFor: isAskedFor) {
        case .signedIn:
            if place.settings.account != account { try noteAccount(account, place) }
            guard let token = login.takeAccessToken() else {
                preconditionFailure("a sign-in brings a token")
            }
            return token
        case .signedOut: throw notSignedIn(place)
        case .noVerdict(let error): throw error
        case .needsPassword(.nothingCached):
            guard let option = passwords.option else {
                throw Failure(
                    .notFound, code: "not_signed_in",
                    "the vault has no password of \(account.text) at \(place.server)",
                    hint: errors.command("login"))
            }
            throw Failure(.noTerminal, reading: "the password", insteadOf: option)
        case .needsPassword(.rejected):
            throw Failure(
                .serverRejected,
                "\(place.server) no longer accepts the password in the vault"
                    + (login.serverText.map { ": \($0)" } ?? ""),
                hint: (passwords.option.map { "run it in a terminal, or give \($0)" }
                    ?? errors.command("login") + " asks for it") + "; "
                    + errors.command("logout --forget") + " forgets it")
        case .needsBrowser(let isSessionOver):
            throw needsBrowser(place, account: isSessionOver ? account : nil)
        case .rejected, .needsPassword(.wrong):
            throw login.serverText.map { SignInError.notAccepted(detail: $0) } ?? .rejected
        }
    }

    /// The context of a sign-in, or of a password change.
    package func context(_ account: AccountName, _ place: SignInPlace) -> SignInContext {
        errors.account = account.text
        return SignInContext(
            account, at: place.client, place.store, place.machine, place.settings.options, now: now)
    }

    private func outcome(
        _ login: inout LoginFlow, _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool
    ) throws -> LoginFlow.Outcome {
        let question = "Password of \(account.text) at \(place.server)"
        let typed = RepeatedPassword()
        func ask(_ reason: LoginFlow.AskReason, _ serverText: String?) throws -> SecretBytes? {
            switch typed.take() {
            case .some(let password): return .some(try typed.keep(password))
            case .none: break
            }
            // The check precedes the prompt, so no person types a password for an unreachable or
            // wrong server.
            if passwords.hasPrompt, try !place.client.describesAccounts(), reason != .wrong {
                vault.owner.remark(
                    "\(place.server) offers only the password grant: this program sends it the password"
                )
            }
            guard let password = try passwords.answer(reason, serverText, question) else {
                return nil
            }
            try requireSameSettings(place)
            return .some(try typed.keep(password))
        }
        let outcome = try login.run(ask)
        return try answeringSecondFactor(outcome, place, asking: passwords) {
            login = LoginFlow(context(account, place), isRequested: isAskedFor)
            typed.repeats = true
            return try login.run(ask)
        }
    }

    /// Fails if a setting of the sign-in changed during the prompt.
    func requireSameSettings(_ place: SignInPlace) throws {
        var settings = try settings(in: place.store)
        settings.account = place.settings.account
        guard settings == place.settings else { throw SignInError.settingsChanged }
    }

    /// Sends a request with an access token: the cached one while it is valid, otherwise one from a
    /// sign-in.
    ///
    /// - Parameters:
    ///   - account: The account of the token.
    ///   - place: The vault and the server.
    ///   - passwords: Provides a password if the sign-in needs one.
    ///   - isAskedFor: Whether to sign in a person who signed out.
    ///   - body: Sends the request; `rejected` means that the token is no longer valid.
    /// - Returns: The server's answer; nil if the server does not support the request.
    /// - Throws: The reason why the person is not signed in, or the server's refusal.
    package func withAccessToken<Value>(
        of account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool = true,
        _ body: (borrowing SecretBytes) throws -> Value
    ) throws -> Value? {
        func ask(_ token: borrowing SecretBytes) throws -> Value? {
            do {
                return try body(token)
            } catch SignInError.unsupported {
                return nil
            }
        }
        switch try cachedToken(place) {
        case .some(let token):
            do {
                return try ask(token)
            } catch SignInError.rejected {
                // A sign-in provides another token.
            }
        case .none: break
        }
        return try ask(try signIn(account, place, asking: passwords, isAskedFor: isAskedFor))
    }

    /// The cached access token, if it stays valid for the time of one request.
    private func cachedToken(_ place: SignInPlace) throws -> SecretBytes? {
        let soon = now().advanced(by: .seconds(30))
        return try withCache(place) { cache -> SecretBytes? in
            guard let expires = try cache.session()?.accessExpires, soon < expires else {
                return nil
            }
            return try cache.token(.access)
        }
    }

    /// Revokes a session at the server.
    package func revoke(_ token: borrowing SecretBytes, _ place: SignInPlace) {
        do {
            try place.client.revoke(token)
        } catch SignInError.unsupported {
            // The tokens are removed here, and expire at the server.
        } catch {
            vault.owner.warn(
                "not_revoked",
                "the session was not ended at the server and expires there: \(errors.failure(error).message)"
            )
        }
    }

    /// Ends this machine's session at the configured server.
    package func endSession(
        _ token: borrowing SecretBytes, _ store: any SecureStore, _ old: SignInSettings
    ) {
        do {
            guard let place = try place(store, old, isSilent: true) else { return }
            revoke(token, place)
        } catch {
            vault.owner.warn(
                "not_revoked",
                "the session was not ended at the server and expires there: \(errors.failure(error).message)"
            )
        }
    }

    /// Signs in after an unlock, without prompts and without failures: the vault stays unlocked in
    /// any case.
    package func signInSilently(_ agent: AgentClient) {
        do {
            // Without cached credentials there is no request to send.
            guard let place = try place(agent, try settings(in: agent), isSilent: true),
                place.settings.cachesCredentials, let account = place.settings.account
            else { return }
            var login = LoginFlow(context(account, place), isRequested: false)
            switch try outcome(
                &login, account, place, asking: AccountPasswords(), isAskedFor: false)
            {
            case .signedIn:
                vault.owner.remark("signed in as \(account.text) at \(place.server)")
                guard place.settings.receivesNotices else { break }
                switch login.takeAccessToken() {
                case .some(let token): takeNotices(token, place, into: agent)
                case .none: break
                }
            case .signedOut: break
            case .noVerdict(.secondFactor):
                vault.owner.warn(
                    "not_signed_in",
                    "not signed in: \(place.server) asks for a second factor (\(errors.command("login")))"
                )
            case .noVerdict(let error):
                let allowance = error.isOffline ? try offline(place) : .never
                reportOffline(errors.failure(error), allowance, account)
            case .needsBrowser(let isSessionOver):
                let failure = needsBrowser(place, account: isSessionOver ? account : nil)
                vault.owner.warn(
                    "not_signed_in",
                    "not signed in: \(failure.message) (\(errors.command("login")))")
            case .needsPassword, .rejected:
                let said = login.serverText.map { ": \($0)" } ?? ""
                vault.owner.warn(
                    "not_signed_in",
                    "not signed in: \(place.server) rejects the cached credentials of \(account.text)\(said) (\(errors.command("login")), or \(errors.command("logout --forget")))"
                )
            }
        } catch {
            vault.owner.warn(
                "not_signed_in", "not signed in: \(errors.failure(error).message)")
        }
    }

    private func reportOffline(
        _ failure: Failure, _ allowance: OfflineAllowance, _ account: AccountName
    ) {
        guard case .until(let end) = allowance else {
            return vault.owner.warn("not_signed_in", "not signed in: \(failure.message)")
        }
        vault.owner.remark(
            "offline; sign-in of \(account.text) valid for \(timeLeft(until: end)): \(failure.message)"
        )
    }
}
