package import HTTPClient
internal import Platform
package import SecretMemory
package import SecureStorage
package import SignIn
package import TextCoding
package import VaultAgent

/// The vault, the auth server and this machine's own state: all that a sign-in needs.
package struct SignInPlace {
    package let store: any SecureStore
    package var settings: SignInSettings
    package let client: OAuthClient
    /// The connection, for what the server offers besides.
    package let http: HTTPClient
    package let machine: MachineState

    /// The server's address, for messages.
    package var server: String { client.issuer.text }
}

/// The sign-in at the auth server that the vault names.
package struct SignInAccess {
    /// Limits of a sign-in in the background: for another process, for a connection, and for an exchange or all of them, in seconds.
    private static let silentLimits = (3, 3, 10)
    /// The largest answer, in bytes: a checklist, or 64 messages.
    private static let largestAnswer = 2_097_152

    private let vault: VaultAccess
    private let errors: ErrorContext

    /// Makes the access.
    package init(_ vault: VaultAccess, _ errors: ErrorContext) {
        self.vault = vault
        self.errors = errors
    }

    private var now: @Sendable () -> PointInTime { vault.options.now }

    /// Runs `body` with the vault and the server.
    ///
    /// - Parameter body: Gets them.
    /// - Returns: The result of `body`.
    /// - Throws: A failure if no server is set or the vault is locked, or the error of `body`.
    package func withSignIn<Result>(_ body: (SignInPlace) throws -> Result) throws -> Result {
        // A command that is about signing in does it itself.
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

    /// The settings of the sign-in, as they are now.
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

    /// What a sign-in needs; nil if no server is set.
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
            if isLimitingAll { options.deadline = .now.advanced(by: options.timeout) }
        }
        if !settings.authorities.isEmpty { options.authorities = .bytes(settings.authorities) }
        for key in settings.pinnedKeys { options.pinnedKeys.append(try PinnedKey(key)) }
        options.maximumContentSize = Self.largestAnswer
        let http = try HTTPClient(options)
        return SignInPlace(
            store: store, settings: settings,
            client: OAuthClient(
                server, clientID: settings.clientID, secret: settings.clientSecret,
                scope: settings.scope, deviceName: HostName.current, http), http: http,
            machine: isSilent
                ? MachineState(folder: folder, lockTimeout: .seconds(Self.silentLimits.0))
                : MachineState(folder: folder))
    }

    /// The server for short exchanges that nobody waits for; nil if none is set.
    ///
    /// - Parameters:
    ///   - store: The vault.
    ///   - isLimitingAll: Whether the time limit is for all exchanges together, or for each.
    /// - Returns: The server.
    /// - Throws: Why it cannot be asked.
    package func silentPlace(
        _ store: any SecureStore, limitingAll isLimitingAll: Bool = true
    ) throws -> SignInPlace? {
        try place(store, try settings(in: store), isSilent: true, limitingAll: isLimitingAll)
    }

    /// The account of a name that was typed, or the one that signed in last, or one that the person names.
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

    /// This machine's session.
    package func session(_ place: SignInPlace) throws -> MachineSession? {
        try withCache(place) { cache in try cache.session() }
    }

    /// By how many seconds this machine's clock was ahead of the server's at the last sign-in; nil if unknown.
    package func clockDifference(in store: any SecureStore) throws -> Int64? {
        guard let server = try settings(in: store).server, let folder = vault.folders.signIn else {
            return nil
        }
        let machine = MachineState(folder: folder, lockTimeout: .seconds(Self.silentLimits.0))
        return try machine.withCache(of: server, in: store) { cache in
            try cache.session()?.clockDifference
        }
    }

    /// Runs `body` with the cached credentials, while no other process of this machine signs in.
    package func withCache<Value: ~Copyable>(
        _ place: SignInPlace, _ body: (CredentialCache) throws -> Value
    ) throws -> Value {
        try place.machine.withCache(of: place.client.issuer, in: place.store, body)
    }

    /// Notes whose account it is, in settings that another program may have changed meanwhile.
    package func noteAccount(_ account: AccountName?, _ place: SignInPlace) throws {
        try withCache(place) { _ in
            try SignInSettings.change(place.store) { settings in
                guard settings.server == place.settings.server else { return }
                settings.account = account
            }
        }
    }

    /// How long the person counts as signed in without the server.
    package func offline(_ place: SignInPlace) throws -> OfflineAllowance {
        let now = now()
        let session = try withCache(place) { cache in
            // A clock that is set back later ends the allowance.
            try cache.recordTime(now)
            return try cache.session()
        }
        return session?.offline(limit: place.settings.options.offlineLimit, at: now) ?? .never
    }

    /// The remaining time as a person reads it.
    package func timeLeft(until end: PointInTime) -> String {
        let milliseconds = max(0, end.milliseconds - now().milliseconds)
        let minutes = UInt64(milliseconds) / 60_000
        return TimeSpan(seconds: minutes > 0 ? minutes * 60 : UInt64(milliseconds) / 1_000).text
    }
}

// Signing in, and asking the server.
extension SignInAccess {
    /// Signs in, and notes whose account it is.
    ///
    /// - Parameters:
    ///   - account: Who signs in.
    ///   - place: The vault and the server.
    ///   - passwords: Answers if the vault has no password that the server accepts.
    ///   - isAskedFor: Whether the person asked to be signed in, also after signing out.
    /// - Returns: The access token that the server granted.
    /// - Throws: Why the person is not signed in now.
    @discardableResult
    package func signIn(
        _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool = true
    ) throws -> SecretBytes {
        var login = LoginFlow(context(account, place), isRequested: isAskedFor)
        switch try outcome(&login, account, place, asking: passwords) {
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
        case .rejected, .needsPassword(.wrong):
            throw login.serverText.map { SignInError.notAccepted(detail: $0) } ?? .rejected
        }
    }

    /// The context of a sign-in, or of a change of the password.
    package func context(_ account: AccountName, _ place: SignInPlace) -> SignInContext {
        SignInContext(
            account, at: place.client, place.store, place.machine, place.settings.options, now: now)
    }

    private func outcome(
        _ login: inout LoginFlow, _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords
    ) throws -> LoginFlow.Outcome {
        let question = "Password of \(account.text) at \(place.server)"
        return try login.run { reason, serverText -> SecretBytes? in
            // Nobody types a password for a server that is not there, or not the right one.
            if passwords.hasPrompt { try place.client.check() }
            guard let password = try passwords.answer(reason, serverText, question) else {
                return nil
            }
            try requireSameSettings(place)
            return password
        }
    }

    /// Fails if the settings were changed while the person was asked: the trusted server, or whether credentials may be cached.
    private func requireSameSettings(_ place: SignInPlace) throws {
        var settings = try settings(in: place.store)
        settings.account = place.settings.account
        guard settings == place.settings else { throw SignInError.settingsChanged }
    }

    /// Asks the server with an access token: the cached one while it is valid, otherwise one from a sign-in.
    ///
    /// - Parameters:
    ///   - account: Whose token.
    ///   - place: The vault and the server.
    ///   - passwords: Answers if the sign-in needs a password.
    ///   - isAskedFor: Whether a person who signed out may be signed in for it.
    ///   - body: Asks the server; `rejected` means that the token is no longer valid.
    /// - Returns: The server's answer; nil if it does not support the question.
    /// - Throws: Why the person is not signed in, or the server's refusal.
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
                // Another one comes from a sign-in.
            }
        case .none: break
        }
        return try ask(try signIn(account, place, asking: passwords, isAskedFor: isAskedFor))
    }

    /// The cached access token, if it is valid long enough for one question.
    private func cachedToken(_ place: SignInPlace) throws -> SecretBytes? {
        let soon = now().advanced(by: .seconds(30))
        return try withCache(place) { cache -> SecretBytes? in
            guard let expires = try cache.session()?.accessExpires, soon < expires else {
                return nil
            }
            return try cache.token(.access)
        }
    }

    /// Tells the server that a session is over.
    package func revoke(_ token: borrowing SecretBytes, _ place: SignInPlace) {
        do {
            try place.client.revoke(token)
        } catch SignInError.unsupported {
            // The tokens are gone here, and expire there.
        } catch {
            vault.owner.warn(
                "not_revoked",
                "the session was not ended at the server and expires there: \(errors.failure(error).message)"
            )
        }
    }

    /// Ends the session of this machine at the server that was set.
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

    /// Signs in after an unlock, without a question and without a failure: the vault is unlocked all the same.
    package func signInSilently(_ agent: AgentClient) {
        do {
            // Without cached credentials nothing can be sent.
            guard let place = try place(agent, try settings(in: agent), isSilent: true),
                place.settings.cachesCredentials, let account = place.settings.account
            else { return }
            var login = LoginFlow(context(account, place), isRequested: false)
            switch try outcome(&login, account, place, asking: AccountPasswords()) {
            case .signedIn:
                vault.owner.remark("signed in as \(account.text) at \(place.server)")
            case .signedOut: break
            case .noVerdict(let error):
                let allowance = error.isOffline ? try offline(place) : .never
                reportOffline(errors.failure(error), allowance, account)
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
