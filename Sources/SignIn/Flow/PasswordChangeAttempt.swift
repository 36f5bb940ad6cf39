public import SecretMemory
public import SecureStorage
public import TextCoding

/// Changes the password of an account: asks the server what ``PasswordChange`` says, and stores what is to be stored.
public struct PasswordChangeAttempt: Sendable {
    private let client: any AuthClient
    private let store: any SecureStore
    private let machine: MachineState
    private let account: AccountName
    private let options: SignInOptions
    private let now: @Sendable () -> PointInTime

    /// Begins. A change that was begun before has been settled by a ``LoginAttempt``.
    ///
    /// - Parameters:
    ///   - account: Whose password.
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

    /// Changes the password, while no other process of this machine signs in.
    ///
    /// - Parameters:
    ///   - current: The current password.
    ///   - new: The new one.
    ///   - accessToken: One that the server just granted.
    /// - Returns: How it ended.
    /// - Throws: What the vault and the machine have against it. After the server agreed, the vault has the new password as pending.
    public func run(
        from current: borrowing SecretBytes, to new: borrowing SecretBytes,
        with accessToken: borrowing SecretBytes
    ) throws(SignInError) -> PasswordChange.Outcome {
        var change = PasswordChange(cachesCredentials: options.cachesCredentials)
        try machine.exclusively { (machine) throws(SignInError) in
            let cache = CredentialCache(store, client.issuer, machine)
            try cache.keeping(for: account, options) { () throws(SecureStoreError) in
                let noted = try note(new, cache)
                let run = try LoginRun(cache, client, account, now)
                if change.step == .note {
                    // A machine whose clock is wrong may have put its own in the place meanwhile.
                    guard noted != .not, run.isPending(new) else { return change.notNoted() }
                    change.noted(isRepeated: noted == .again)
                }
                try run.perform(&change, current, new, accessToken)
            }
        }
        guard case .done(let outcome) = change.step else {
            preconditionFailure("the change came to no end")
        }
        return outcome
    }

    private func note(
        _ new: borrowing SecretBytes, _ cache: CredentialCache
    ) throws(SecureStoreError) -> CredentialCache.Noted {
        guard options.cachesCredentials else { return .not }
        return try cache.notePending(new, of: account, at: now())
    }
}
