public import SecretMemory
internal import SecureStorage

/// Signs in: asks the server what ``LoginFlow`` says, and stores what is to be stored.
///
/// ``proceed()`` goes on until a person is to be asked, or to the end; while a person types nothing is locked.
public struct LoginAttempt: ~Copyable {
    private let context: SignInContext
    private let isAskedFor: Bool
    private var flow: LoginFlow?
    private var typed: SecretBytes?
    private var granted: SecretBytes?

    /// Begins.
    ///
    /// - Parameters:
    ///   - context: Who signs in where.
    ///   - isAskedFor: Whether the person asked to be signed in; whoever signed out, and did not, stays signed out.
    public init(_ context: SignInContext, isAskedFor: Bool = true) {
        self.context = context
        self.isAskedFor = isAskedFor
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
            step = try context.withCache { (cache) throws(SecureStoreError) in
                // Nobody signs out between this look and the end.
                if !isAskedFor, try cache.session()?.isSignedOut == true {
                    return .done(.signedOut)
                }
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
        let run = try LoginRun(cache, context)
        while try run.perform(&flow, typed, &granted) {}
        guard context.options.cachesCredentials, flow.step == .ask(.rejected) else { return false }
        return try run.isOutdated()
    }

    private borrowing func begin(
        _ cache: CredentialCache
    ) throws(SecureStoreError) -> LoginFlow {
        let isCaching = context.options.cachesCredentials
        return LoginFlow(
            isCaching
                ? try cache.credentials(of: context.account, at: context.now())
                : CachedCredentials(),
            cachesCredentials: isCaching)
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
