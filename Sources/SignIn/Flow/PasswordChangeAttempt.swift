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
            let noted = try note(new, cache)
            let run = try LoginRun(cache, context)
            if change.step == .note {
                // A machine whose clock is wrong may have put its own in the place meanwhile.
                guard noted != .not, run.isPending(new) else { return change.notNoted() }
                change.noted(isRepeated: noted == .again)
            }
            try run.perform(&change, current, new, accessToken)
        }
        guard case .done(let outcome) = change.step else {
            preconditionFailure("the change came to no end")
        }
        return outcome
    }

    private func note(
        _ new: borrowing SecretBytes, _ cache: CredentialCache
    ) throws(SecureStoreError) -> CredentialCache.Noted {
        guard context.options.cachesCredentials else { return .not }
        return try cache.notePending(new, of: context.account, at: context.now())
    }
}
