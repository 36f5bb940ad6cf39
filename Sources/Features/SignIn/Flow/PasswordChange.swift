public import SecretMemory
internal import SecureStorage

/// Changes the password of an account on the server and in the vault.
///
/// The vault stores the new password as pending before the server gets it, and as current after the
/// server agreed. After an interruption one of the two passwords is valid, and the next
/// ``LoginFlow`` finds out which one.
///
/// ```
/// save pending ──▶ ask the server ──agreed──▶ promote: changed
///                │ refused, or certainly not asked ──▶ remove pending: unchanged
///                └ no answer ──▶ keep both: unknown
/// ```
public struct PasswordChange: Sendable {
    /// The outcome of a change.
    public enum Outcome: Sendable, Hashable {
        /// The server changed the password.
        case changed
        /// The server did not change the password.
        case unchanged(SignInError)
        /// The server may have changed the password.
        case unknown(SignInError)
    }

    private let context: SignInContext

    /// Prepares a change. A ``LoginFlow`` must run first, because it settles an earlier change.
    public init(_ context: SignInContext) {
        self.context = context
    }

    /// Changes the password. Other processes of this machine wait.
    ///
    /// - Parameters:
    ///   - current: The current password.
    ///   - new: The new password.
    ///   - accessToken: A freshly granted access token.
    /// - Returns: The outcome.
    /// - Throws: ``SignInError``, an error of the vault, or `SecretMemoryError`. If the server may
    ///   have got the request, the vault holds the new password as pending.
    public func run(
        from current: borrowing SecretBytes, to new: borrowing SecretBytes,
        with accessToken: borrowing SecretBytes
    ) throws -> Outcome {
        try context.withCache { cache in
            guard context.options.cachesCredentials else {
                return try changeUnsaved(accessToken, from: current, to: new, cache)
            }
            let account = context.account
            let result = try cache.savePending(new, of: account, at: context.now())
            let saved = try cache.credentials(of: account, at: context.now())
            // A machine with a wrong clock may have replaced the pending password.
            guard result != .conflict, let pending = saved.pending, pending.value.isEqual(to: new)
            else {
                let detail =
                    "an earlier change of the password may still be in progress; try again later"
                return .unchanged(.refused(.other(detail: detail)))
            }
            do {
                let tokens = try context.client.changePassword(accessToken, from: current, to: new)
                try cache.promote(pending, over: saved.current, of: account, at: context.now())
                try cache.store(tokens, of: account, at: context.now())
                return .changed
            } catch let error as SignInError where error.mayHaveSucceeded {
                return .unknown(error)
            } catch let error as SignInError {
                // An earlier change to the same password may still be in progress.
                if result == .saved { try cache.removePending(pending, of: account) }
                return .unchanged(error)
            }
        }
    }

    private func changeUnsaved(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes, _ cache: CredentialCache
    ) throws -> Outcome {
        do {
            _ = try context.client.changePassword(accessToken, from: current, to: new)
        } catch let error as SignInError {
            return error.mayHaveSucceeded ? .unknown(error) : .unchanged(error)
        }
        try cache.recordSuccess(of: context.account, at: context.now())
        return .changed
    }
}
