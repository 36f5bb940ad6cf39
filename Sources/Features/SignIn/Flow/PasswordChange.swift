public import SecretMemory
internal import SecureStorage

/// Changes the password of an account on the server and in the vault.
///
/// The vault notes the new password before the server gets it, and makes it the saved one after the server agreed. After an interruption one of
/// the two passwords in the vault is valid, and the next ``LoginFlow`` finds out which.
///
/// ```
/// note ──▶ ask the server ──agreed──▶ promote: changed
///                │ refused, or certainly not asked ──▶ drop: unchanged
///                └ no answer ──▶ keep both: unknown
/// ```
public struct PasswordChange: Sendable {
    /// How a change ended.
    public enum Outcome: Sendable, Hashable {
        /// The server changed the password.
        case changed
        /// The server did not change it.
        case unchanged(SignInError)
        /// The server may have changed it.
        case unknown(SignInError)
    }

    private let context: SignInContext

    /// Prepares a change. A ``LoginFlow`` comes first, because it settles an earlier change.
    public init(_ context: SignInContext) {
        self.context = context
    }

    /// Changes the password. Other processes of this machine wait.
    ///
    /// - Parameters:
    ///   - current: The current password.
    ///   - new: The new one.
    ///   - accessToken: A token that the server just granted.
    /// - Returns: How the change ended.
    /// - Throws: ``SignInError``, an error of the vault, or `SecretMemoryError`. If the server was asked before, the vault has the new password as
    ///   the pending one.
    public func run(
        from current: borrowing SecretBytes, to new: borrowing SecretBytes,
        with accessToken: borrowing SecretBytes
    ) throws -> Outcome {
        try context.withCache { cache in
            guard context.options.cachesCredentials else {
                return try changeUnsaved(accessToken, from: current, to: new, cache)
            }
            let account = context.account
            let noted = try cache.notePending(new, of: account, at: context.now())
            let saved = try cache.credentials(of: account, at: context.now())
            // A machine whose clock is wrong may have replaced the note.
            guard noted != .not, let pending = saved.pending, pending.value.isEqual(to: new) else {
                let detail =
                    "an earlier change of the password may still be in progress; try again later"
                return .unchanged(.refused(.other(detail: detail)))
            }
            do {
                let tokens = try context.client.changePassword(accessToken, from: current, to: new)
                try cache.promote(pending, over: saved.current, of: account, at: context.now())
                try cache.store(tokens, of: account, at: context.now())
                return .changed
            } catch let error as SignInError where error.mayBeDone {
                return .unknown(error)
            } catch let error as SignInError {
                // An earlier change to the same password may still be in progress.
                if noted == .now { try cache.drop(pending, of: account) }
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
            return error.mayBeDone ? .unknown(error) : .unchanged(error)
        }
        try cache.noteSuccess(of: context.account, at: context.now())
        return .changed
    }
}
