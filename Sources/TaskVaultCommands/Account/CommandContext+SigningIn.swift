internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding
internal import VaultAgent

extension CommandContext {
    /// Signs in, and notes whose account it is.
    ///
    /// - Parameters:
    ///   - account: Who signs in.
    ///   - place: The vault and the server.
    ///   - passwords: Who is asked where the vault has no password that the server accepts.
    ///   - isAskedFor: Whether the person asked to be signed in, also after signing out.
    /// - Returns: The access token that the server granted.
    /// - Throws: Why nobody is signed in now.
    @discardableResult
    func signIn(
        _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool = true
    ) throws(CommandFailure) -> SecretBytes {
        var login = LoginFlow(signInContext(account, place), isRequested: isAskedFor)
        switch try outcome(&login, account, place, asking: passwords) {
        case .signedIn:
            try note(account, place)
            guard let token = login.takeAccessToken() else {
                preconditionFailure("a sign-in brings a token")
            }
            return token
        case .signedOut: throw notSignedIn(place)
        case .notAsked(let error):
            throw CommandFailure(error, at: place, folders)
        case .needsPassword(.nothingCached):
            guard invocation.takes(.passwordFile) else {
                throw CommandFailure(
                    .notFound, code: "not_signed_in",
                    "the vault has no password of \(account.text) at \(place.server)",
                    hint: folders.command("login"))
            }
            throw CommandFailure(.noTerminal, reading: "the password", insteadOf: .passwordFile)
        case .needsPassword(.rejected):
            throw CommandFailure(
                .serverRejected,
                "\(place.server) does not accept the password in the vault any more",
                hint: invocation.takes(.passwordFile)
                    ? "run it in a terminal, or give \(OptionDescription.passwordFile.usage)"
                    : folders.command("login") + " asks for it")
        case .rejected, .needsPassword(.wrong):
            throw CommandFailure(.rejected, at: place, folders)
        }
    }

    /// That nobody is signed in here, or not any more.
    func notSignedIn(_ place: SignInPlace) -> CommandFailure {
        CommandFailure(
            .notFound, code: "not_signed_in", "nobody is signed in at \(place.server)",
            hint: folders.command("login"))
    }

    /// What a sign-in, or a change of the password, is done with.
    func signInContext(_ account: AccountName, _ place: SignInPlace) -> SignInContext {
        SignInContext(
            account, at: place.client, place.store, place.machine, place.settings.options,
            now: surroundings.now)
    }

    private func outcome(
        _ login: inout LoginFlow, _ account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords
    ) throws(CommandFailure) -> LoginFlow.Outcome {
        let question = "Password of \(account.text) at \(place.server)"
        return try explainingSignIn {
            try login.run { (reason) throws -> SecretBytes? in
                guard let password = try passwords.answer(reason, question) else { return nil }
                try requireSameSettings(place)
                return password
            }
        }
    }

    /// Runs a step of signing in whose error becomes a failure.
    func explainingSignIn<Value: ~Copyable>(
        _ body: () throws -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(signIn: error, vault)
        }
    }

    /// Notes whose account it is, for the starts that follow.
    private func note(_ account: AccountName, _ place: SignInPlace) throws(CommandFailure) {
        guard place.settings.account != account else { return }
        try noteAccount(account, place)
    }

    /// Notes whose account it is, in settings that somebody else may have changed meanwhile.
    func noteAccount(_ account: AccountName?, _ place: SignInPlace) throws(CommandFailure) {
        try withCache(place) { _ in
            try SignInSettings.change(place.store) { settings in
                guard settings.server == place.settings.server else { return }
                settings.account = account
            }
        }
    }

    /// Refuses to go on where the settings were changed while a person was asked: whom to trust, or that nothing may be kept.
    private func requireSameSettings(_ place: SignInPlace) throws(CommandFailure) {
        var settings = try currentSignInSettings(place.store)
        settings.account = place.settings.account
        guard settings == place.settings else {
            throw .signInSettingsChanged
        }
    }

    /// What this machine knows of its session.
    func machineSession(_ place: SignInPlace) throws(CommandFailure) -> MachineSession? {
        try withCache(place) { cache in try cache.session() }
    }

    /// Runs `body` with what is cached, while no other process of this machine signs in.
    func withCache<Value: ~Copyable>(
        _ place: SignInPlace, _ body: (CredentialCache) throws -> Value
    ) throws(CommandFailure) -> Value {
        try explainingSignIn {
            try place.machine.withCache(of: place.client.issuer, in: place.store, body)
        }
    }

    /// Signs in after an unlock, without a question and without a failure: the vault is unlocked all the same.
    func signInSilently(_ agent: AgentClient) {
        do throws(CommandFailure) {
            // Where nothing may be kept there is nothing to sign in with.
            guard let place = try signInPlace(agent, isSilent: true),
                place.settings.cachesCredentials, let account = place.settings.account
            else { return }
            var login = LoginFlow(signInContext(account, place), isRequested: false)
            switch try outcome(&login, account, place, asking: AccountPasswords()) {
            case .signedIn:
                notices.remark("signed in as \(account.text) at \(place.server)")
            case .signedOut: break
            case .notAsked(let error):
                let allowance = error.meansOffline ? try offline(place) : .never
                reportOffline(CommandFailure(error, at: place, folders), allowance, account)
            case .needsPassword, .rejected:
                notices.warn(
                    "not_signed_in",
                    "not signed in: \(place.server) does not accept what the vault has of \(account.text) (\(folders.command("login")))"
                )
            }
        } catch {
            notices.warn("not_signed_in", "not signed in: \(error.message)")
        }
    }

    /// How long the person counts as signed in without the server.
    func offline(_ place: SignInPlace) throws(CommandFailure) -> OfflineAllowance {
        let now = surroundings.now()
        let session = try withCache(place) { cache in
            // Whatever is asked, a clock that is set back later ends it.
            try cache.noteTime(now)
            return try cache.session()
        }
        return session?.offline(limit: place.settings.options.offlineLimit, at: now) ?? .never
    }

    private func reportOffline(
        _ failure: CommandFailure, _ allowance: OfflineAllowance, _ account: AccountName
    ) {
        guard case .until(let end) = allowance else {
            return notices.warn("not_signed_in", "not signed in: \(failure.message)")
        }
        notices.remark(
            "\(account.text) is signed in for \(timeLeft(until: end)) without the server: \(failure.message)"
        )
    }

    /// A time as a person reads it.
    func timeLeft(until end: PointInTime) -> String {
        let milliseconds = max(0, end.milliseconds - surroundings.now().milliseconds)
        let minutes = UInt64(milliseconds) / 60_000
        return TimeSpan(seconds: minutes > 0 ? minutes * 60 : UInt64(milliseconds) / 1_000).text
    }
}
