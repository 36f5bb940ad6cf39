internal import SecretMemory
public import SecureStorage
public import TextCoding

/// The account, the server and the vault of a sign-in or a password change.
public struct SignInContext: Sendable {
    let account: AccountName
    let client: any AuthClient
    let options: SignInOptions
    let now: @Sendable () -> PointInTime
    private let store: any SecureStore
    private let machine: MachineState

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - client: The server.
    ///   - store: The vault.
    ///   - machine: The state of this machine.
    ///   - options: The settings of the user.
    ///   - now: Returns the time.
    public init(
        _ account: AccountName, at client: any AuthClient, _ store: any SecureStore,
        _ machine: MachineState, _ options: SignInOptions = SignInOptions(),
        now: @escaping @Sendable () -> PointInTime = { .now }
    ) {
        self.account = account
        self.client = client
        self.store = store
        self.machine = machine
        self.options = options
        self.now = now
    }

    /// Runs `body` with the cache, while other processes of this machine wait.
    ///
    /// The vault's settings are checked before and after `body`. A process of this machine cannot
    /// change them in between, but another machine can. After such a change, all credentials that
    /// `body` stored are removed.
    ///
    /// - Throws: `settingsChanged`, `busy`, `system`, an error of the vault, or an error of `body`.
    func withCache<Value>(_ body: (CredentialCache) throws -> Value) throws -> Value {
        try machine.exclusively { machine in
            let cache = CredentialCache(store, client.issuer, machine)
            guard try isStillAllowed() else { throw SignInError.settingsChanged }
            let value = try body(cache)
            guard try isStillAllowed() else {
                _ = try cache.removeAll(of: account)
                throw SignInError.settingsChanged
            }
            return value
        }
    }

    private func isStillAllowed() throws -> Bool {
        guard let settings = try SignInSettings.stored(store)?.settings else { return true }
        return settings.server == client.issuer && settings.endpoints == options.endpoints
            && (settings.cachesCredentials || !options.cachesCredentials)
    }
}

/// The user's settings for a sign-in.
public struct SignInOptions: Sendable, Hashable {
    /// Whether the vault may keep passwords and tokens.
    public var cachesCredentials: Bool
    /// The time for which the user counts as signed in without the server, after the last success.
    public var offlineLimit: Duration
    /// The endpoints that the user set; nil without the setting.
    public var endpoints: ServerEndpoints?

    /// Makes options. The default limit is seven days.
    public init(
        cachesCredentials: Bool = true, offlineLimit: Duration = .seconds(604_800),
        endpoints: ServerEndpoints? = nil
    ) {
        self.cachesCredentials = cachesCredentials
        self.offlineLimit = offlineLimit
        self.endpoints = endpoints
    }
}
