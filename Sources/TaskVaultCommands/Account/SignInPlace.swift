internal import CommandLine
internal import HTTPClient
internal import SecureStorage
internal import SignIn

/// What signing in takes: the vault, the server that is set, and what this machine keeps of its own.
struct SignInPlace {
    let store: any SecureStore
    var settings: SignInSettings
    let client: OAuthClient
    let machine: MachineState

    /// The server's address, for messages.
    var server: String { client.issuer.text }
}

extension CommandContext {
    /// How long a start that nobody asked for may take: another process, a connection, and all of it, in seconds.
    private static let silentLimits = (3, 3, 10)

    /// Runs `body` with the vault and the server.
    ///
    /// - Parameters:
    ///   - isSilent: Whether the person waits for something else.
    ///   - body: Gets them.
    /// - Returns: What `body` returns.
    /// - Throws: A failure where no server is set, where the vault is locked, or what `body` throws.
    func withSignIn<Result>(
        isSilent: Bool = false, _ body: (SignInPlace) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try withStore(.changing) { (store) throws(CommandFailure) in
            guard let place = try signInPlace(store.secrets, isSilent: isSilent) else {
                throw CommandFailure(
                    .notFound, code: "no_server", "no auth server is set",
                    hint: folders.command("settings set server https://auth.example.org"))
            }
            return try body(place)
        }
    }

    /// What signing in takes; nil where no server is set.
    func signInPlace(
        _ store: any SecureStore, isSilent: Bool
    ) throws(CommandFailure) -> SignInPlace? {
        try signInPlace(store, try currentSignInSettings(store), isSilent: isSilent)
    }

    /// What signing in takes, as the settings have it.
    func signInPlace(
        _ store: any SecureStore, _ settings: SignInSettings, isSilent: Bool
    ) throws(CommandFailure) -> SignInPlace? {
        guard let server = settings.server else { return nil }
        guard let folder = folders.signIn else {
            throw .usage("no folder for this machine's own state is known", hint: "set HOME")
        }
        do {
            var options = HTTPClientOptions()
            if isSilent {
                options.connectingTimeout = .seconds(Self.silentLimits.1)
                options.deadline = .now.advanced(by: .seconds(Self.silentLimits.2))
            }
            if !settings.authorities.isEmpty { options.authorities = .bytes(settings.authorities) }
            for key in settings.pinnedKeys { options.pinnedKeys.append(try PinnedKey(key)) }
            return SignInPlace(
                store: store, settings: settings,
                client: OAuthClient(
                    server, clientID: settings.clientID, try HTTPClient(options)),
                machine: isSilent
                    ? MachineState(folder: folder, patience: .seconds(Self.silentLimits.0))
                    : MachineState(folder: folder))
        } catch {
            throw CommandFailure(http: error)
        }
    }

    /// The account that an operand names, or the one that signed in last, or one that the person names.
    func accountName(_ place: SignInPlace) throws(CommandFailure) -> AccountName {
        let text: String
        if let operand = invocation.texts(of: .email).first {
            text = operand
        } else if let account = place.settings.account {
            return account
        } else {
            guard canAsk else {
                throw .usage("whose account it is has to be said", hint: "give EMAIL")
            }
            do throws(InputError) {
                text = try surroundings.openTerminal().askText("E-mail")
            } catch {
                throw CommandFailure(error, reading: "the e-mail address")
            }
        }
        guard let name = AccountName(text) else {
            throw .usage("this cannot be the name of an account")
        }
        return name
    }
}
