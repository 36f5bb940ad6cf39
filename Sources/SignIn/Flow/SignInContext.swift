public import SecureStorage
public import TextCoding

/// Who signs in where, and what with: the same for a sign-in and for a change of the password.
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
    ///   - account: Who signs in.
    ///   - client: The server.
    ///   - store: The vault.
    ///   - machine: What this machine keeps of its own.
    ///   - options: What the person allows.
    ///   - now: Tells the time.
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

    /// Runs `body` with what is cached, while no other process of this machine signs in, and where the vault's settings still allow what it stores.
    func withCache<Value>(
        _ body: (CredentialCache) throws(SecureStoreError) -> Value
    ) throws(SignInError) -> Value {
        try machine.exclusively { (machine) throws(SignInError) in
            let cache = CredentialCache(store, client.issuer, machine)
            return try cache.keeping(for: account, options) { () throws(SecureStoreError) in
                try body(cache)
            }
        }
    }
}
