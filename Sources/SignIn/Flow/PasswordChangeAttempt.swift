public import SecretMemory
internal import SecureStorage

/// Changes the password of an account: asks the server what ``PasswordChange`` says, and stores what is to be stored.
public struct PasswordChangeAttempt: Sendable {
    private let context: SignInContext

    /// Begins. A change that was begun before has been settled by a ``LoginAttempt``.
    public init(_ context: SignInContext) {
        self.context = context
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
        var change = PasswordChange(cachesCredentials: context.options.cachesCredentials)
        try context.withCache { (cache) throws(SecureStoreError) in
            if change.step == .note { try note(new, &change, cache) }
            guard change.step == .ask else { return }
            let run = try LoginRun(cache, context)
            try run.perform(&change, current, new, accessToken)
        }
        guard case .done(let outcome) = change.step else {
            preconditionFailure("the change came to no end")
        }
        return outcome
    }

    private func note(
        _ new: borrowing SecretBytes, _ change: inout PasswordChange, _ cache: CredentialCache
    ) throws(SecureStoreError) {
        let account = context.account
        let earlier = try cache.unsettled(of: account, new, at: context.now())
        if earlier == .another { return change.notNoted() }
        try cache.notePending(new, of: account, at: context.now())
        change.noted(isRepeated: earlier == .same)
    }
}
