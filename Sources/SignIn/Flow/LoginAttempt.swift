public import SecretMemory
public import SecureStorage
public import TextCoding

/// Signs in: asks the server what ``LoginFlow`` says, and stores what is to be stored.
///
/// ``proceed()`` goes on until a person is to be asked, or to the end; while a person types nothing is locked.
public struct LoginAttempt: ~Copyable {
    private let client: any AuthClient
    private let store: any SecureStore
    private let machine: MachineState
    private let account: AccountName
    private let options: SignInOptions
    private let now: @Sendable () -> PointInTime
    private var flow: LoginFlow?
    private var typed: SecretBytes?
    private var granted: SecretBytes?

    /// Begins.
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

    /// Goes on until somebody has to be asked, or to the end.
    ///
    /// - Returns: `ask` or `done`.
    /// - Throws: What the vault and the machine have against it. What the server granted up to then is stored, or lost to the vault that was
    ///   locked meanwhile; the next start recovers from both.
    public mutating func proceed() throws(SignInError) -> LoginFlow.Step {
        var flow = flow
        let typed = typed.take()
        var granted: SecretBytes?
        let step: LoginFlow.Step
        do throws(SignInError) {
            step = try machine.exclusively { (machine) throws(SignInError) in
                let cache = CredentialCache(store, client.issuer, machine)
                return try cache.keeping(for: account, options) { () throws(SecureStoreError) in
                    var current: LoginFlow
                    if let flow { current = flow } else { current = try begin(cache) }
                    defer { flow = current }
                    if try perform(&current, cache, typed, &granted) {
                        // Once more with what another machine stored meanwhile, before a person is asked.
                        current = try begin(cache)
                        _ = try perform(&current, cache, typed, &granted)
                    }
                    return current.step
                }
            }
        } catch {
            // Whoever was told `busy` can go on without asking the person again.
            self.typed = typed
            throw error
        }
        self.flow = flow
        self.granted = granted
        return step
    }

    /// Takes the access token that the server granted; nil where it granted none, and the second time.
    public mutating func takeAccessToken() -> SecretBytes? {
        granted.take()
    }

    /// Goes on until somebody has to be asked, or to the end.
    ///
    /// - Returns: Whether what was rejected is not what the vault has any more.
    /// - Throws: What the vault has against it.
    private borrowing func perform(
        _ flow: inout LoginFlow, _ cache: CredentialCache, _ typed: borrowing SecretBytes?,
        _ granted: inout SecretBytes?
    ) throws(SecureStoreError) -> Bool {
        let run = try LoginRun(cache, client, account, now)
        while try run.perform(&flow, typed, &granted) {}
        guard options.cachesCredentials, flow.step == .ask(.rejected) else { return false }
        return try run.isOutdated()
    }

    private borrowing func begin(
        _ cache: CredentialCache
    ) throws(SecureStoreError) -> LoginFlow {
        LoginFlow(
            options.cachesCredentials
                ? try cache.credentials(of: account, at: now()) : CachedCredentials(),
            cachesCredentials: options.cachesCredentials)
    }

    /// Hands in what the person typed, after `ask`.
    public mutating func answer(_ password: consuming SecretBytes) {
        flow?.typed()
        typed = .some(password)
    }

    /// Says that nobody can be asked, after `ask`.
    public mutating func decline() {
        flow?.notTyped()
    }
}
