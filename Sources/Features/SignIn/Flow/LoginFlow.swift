public import SecretMemory
internal import SecureStorage

/// Signs in: tries the stored credentials, then asks for the password, and stores it after the
/// server has accepted it.
///
/// A server that takes no passwords has a refresh token only. If that is missing or refused, the
/// person signs in on a page of the server, and ``accept(_:)`` stores the tokens.
///
/// ```
/// pending password ─rejected─▶ refresh token ─rejected─▶ saved password ─rejected─▶ question, up to three times
///        │ accepted                 │ accepted                │ accepted              │ accepted
///        ▼                          ▼                         ▼                       ▼
///  becomes the password        saves tokens              saves tokens         saves password and tokens
/// ```
///
/// A pending password is the new password of an unconfirmed change. If the server rejects it, a
/// usable stored password comes before the refresh token. It shows whether the old password is
/// still valid. The flow removes credentials only after a verdict of the server.
public struct LoginFlow: ~Copyable {
    /// The maximum number of password prompts.
    public static let maximumQuestions = 3

    private let context: SignInContext
    private let isRequested: Bool
    private var accessToken: SecretBytes?
    /// Whether the vault held a pending password when the stored credentials were tried.
    private var hadPending = false
    /// Whether the server refused the stored refresh token.
    private var isSessionOver = false
    /// The server's text for the last rejected password; nil without one. One line without control
    /// sequences.
    public private(set) var serverText: String?

    /// Prepares a sign-in.
    ///
    /// - Parameters:
    ///   - context: The account, the server and the vault.
    ///   - isRequested: Whether the user started this sign-in. If not, a signed-out account stays
    ///     signed out.
    public init(_ context: SignInContext, isRequested: Bool = true) {
        self.context = context
        self.isRequested = isRequested
    }

    /// Signs in. Other processes of this machine wait, except while the password is asked for.
    ///
    /// - Parameter ask: Gets the reason and the server's text. Returns the typed password, or nil
    ///   if there is none.
    /// - Returns: The outcome.
    /// - Throws: ``SignInError``, an error of the vault, `SecretMemoryError`, or an error of `ask`.
    ///   The next sign-in recovers from an interruption at any point.
    public mutating func run(_ ask: (AskReason, String?) throws -> SecretBytes?) throws -> Outcome {
        let context = context
        var step = try context.withCache { cache in try trySaved(cache) }
        // A stored password that was rejected shows that the server takes passwords.
        if step == .ask(.nothingCached) || isSessionOver, case .ask = step {
            do {
                guard try context.client.takesPasswords() else {
                    return .needsBrowser(isSessionOver: isSessionOver)
                }
            } catch let error as SignInError where isSessionOver {
                return .noVerdict(error)
            } catch is SignInError {
                // The person is asked after the server was reached.
            }
        }
        for _ in 0..<Self.maximumQuestions {
            guard case .ask(let reason) = step else { break }
            guard let typed = try ask(reason, serverText) else { return .needsPassword(reason) }
            step = try context.withCache { cache in try tryTyped(typed, cache) }
        }
        guard case .done(let outcome) = step else { return .rejected }
        return outcome
    }

    /// Stores the tokens of a ``WebSignIn``. No password is kept at a server that takes none.
    ///
    /// - Returns: The outcome: `signedIn`, or `signedOut`.
    /// - Throws: As ``run(_:)``.
    public mutating func accept(_ tokens: consuming GrantedTokens) throws -> Outcome {
        let context = context
        var granted = Optional(tokens)
        let step = try context.withCache { cache -> Step in
            if try isSignedOut(cache) { return .done(.signedOut) }
            try cache.removePasswords(of: context.account)
            guard let tokens = granted.take() else { preconditionFailure("this runs once") }
            return try finish(tokens, cache)
        }
        guard case .done(let outcome) = step else { preconditionFailure("tokens end a sign-in") }
        return outcome
    }

    /// Returns the access token, and clears it; nil without one.
    public mutating func takeAccessToken() -> SecretBytes? {
        accessToken.take()
    }

    private enum Step: Equatable {
        case ask(AskReason)
        case done(Outcome)
    }

    /// Tries the stored credentials. Repeats that once if another machine stored another password
    /// since then.
    private mutating func trySaved(_ cache: CredentialCache) throws -> Step {
        if try isSignedOut(cache) { return .done(.signedOut) }
        guard context.options.cachesCredentials else { return .ask(.nothingCached) }
        let saved = try cache.credentials(of: context.account, at: context.now())
        let step = try tryInOrder(saved, cache)
        guard step == .ask(.rejected) else { return step }
        let newer = try cache.credentials(of: context.account, at: context.now())
        guard newer.currentState == .usable || newer.pendingState == .usable else { return step }
        return try tryInOrder(newer, cache)
    }

    private mutating func tryInOrder(
        _ saved: CachedCredentials, _ cache: CredentialCache
    ) throws -> Step {
        let (client, account) = (context.client, context.account)
        // Whether the server rejected one of the two passwords.
        var isRejected = false
        // A password from a time when the server took it stays here.
        var usesPasswords = true
        hadPending = saved.pending != nil
        do {
            if saved.pendingState == .usable || saved.currentState == .usable {
                usesPasswords = try client.takesPasswords()
            }
            if let pending = saved.pending, saved.pendingState == .usable, usesPasswords {
                do {
                    return try signIn(pending, over: saved.current, cache)
                } catch let error as SignInError where error.isVerdict {
                    isRejected = true
                    serverText = error.serverText
                    try cache.recordRejection(.pending, pending, of: account, at: saved.time)
                }
            }
            // If another credential is still valid, the change never took effect.
            let isChangeUndone = isRejected || saved.pendingState == .rejected
            if saved.hasRefreshToken,
                !(isRejected && saved.currentState == .usable && usesPasswords),
                let token = try cache.token(.refresh)
            {
                do {
                    let tokens = try client.refresh(token)
                    if isChangeUndone { try removeSettled(saved, cache) }
                    return try finish(tokens, cache)
                } catch SignInError.rejected {
                    isSessionOver = true
                    try cache.removeTokens()
                } catch let error as SignInError where error.isRefusal {
                    // A server without the refresh grant may still accept the password.
                    isSessionOver = true
                }
            }
            if let current = saved.current, saved.currentState == .usable, usesPasswords {
                do {
                    let tokens = try grant(current.value, cache, serverSession(cache))
                    if isChangeUndone { try removeSettled(saved, cache) }
                    return try finish(tokens, cache)
                } catch let error as SignInError where error.isVerdict {
                    isRejected = true
                    serverText = error.serverText
                    if let pending = saved.pending, saved.pendingState == .unsettled {
                        // The server may have made the change after the pending password was tried.
                        do {
                            return try signIn(pending, over: current, cache)
                        } catch let error as SignInError where error.isVerdict {
                            try cache.recordRejection(
                                .current, current, of: account, at: saved.time)
                            try cache.recordRejection(
                                .pending, pending, of: account, at: saved.time)
                        }
                    } else {
                        try cache.recordRejection(.current, current, of: account, at: saved.time)
                    }
                }
            }
        } catch let error as SignInError {
            try cache.recordTime(context.now())
            // After a rejected password the user is not merely offline.
            return .done(
                isRejected && !error.needsSecondFactor
                    ? .needsPassword(.rejected) : .noVerdict(error))
        }
        let isPasswordWrong =
            isRejected || saved.currentState != .none || saved.pendingState == .unsettled
        return .ask(isPasswordWrong && usesPasswords ? .rejected : .nothingCached)
    }

    private mutating func tryTyped(
        _ typed: borrowing SecretBytes, _ cache: CredentialCache
    ) throws -> Step {
        if try isSignedOut(cache) { return .done(.signedOut) }
        let saved = try cache.credentials(of: context.account, at: context.now())
        do {
            let tokens = try grant(typed, cache, nil)
            if context.options.cachesCredentials {
                try cache.store(
                    typed, over: saved.current, of: context.account, at: context.now())
                if hadPending { try removeSettled(saved, cache) }
            }
            return try finish(tokens, cache)
        } catch let error as SignInError where error.isVerdict {
            serverText = error.serverText
            return .ask(.wrong)
        } catch let error as SignInError {
            try cache.recordTime(context.now())
            return .done(.noVerdict(error))
        }
    }

    private borrowing func isSignedOut(_ cache: CredentialCache) throws -> Bool {
        guard !isRequested else { return false }
        return try cache.session()?.isSignedOut == true
    }

    /// Tries the pending password. If accepted, it becomes the current one.
    private mutating func signIn(
        _ pending: CachedPassword, over current: CachedPassword?, _ cache: CredentialCache
    ) throws -> Step {
        let tokens = try grant(pending.value, cache, serverSession(cache))
        try cache.promote(pending, over: current, of: context.account, at: context.now())
        return try finish(tokens, cache)
    }

    /// Requests tokens with a password, and with the device token. A stored password continues the
    /// server's session.
    ///
    /// The new device token is stored first, because it is valid in any case.
    private borrowing func grant(
        _ password: borrowing SecretBytes, _ cache: CredentialCache, _ session: String?
    ) throws -> GrantedTokens {
        let account = context.account
        let tokens = try context.client.signIn(
            account, password: password, device: cache.deviceToken(of: account),
            continuing: session)
        switch tokens.device {
        case .some(let token) where context.options.cachesCredentials:
            try cache.store(device: token, of: account)
        default: break
        }
        return tokens
    }

    /// The server's session id, which a stored password continues.
    private borrowing func serverSession(_ cache: CredentialCache) throws -> String? {
        let session = try cache.session()
        return session?.account == context.account ? session?.serverSession : nil
    }

    /// Removes the pending password, unless its change may still be in progress.
    private borrowing func removeSettled(
        _ saved: CachedCredentials, _ cache: CredentialCache
    ) throws {
        guard let pending = saved.pending, cache.isSettled(pending, at: saved.time) else { return }
        try cache.removePending(pending, of: context.account)
    }

    private mutating func finish(
        _ tokens: consuming GrantedTokens, _ cache: CredentialCache
    ) throws -> Step {
        if context.options.cachesCredentials {
            try cache.store(tokens, of: context.account, at: context.now())
        } else {
            try cache.recordSuccess(of: context.account, at: context.now())
        }
        accessToken = .some(tokens.access)
        return .done(.signedIn)
    }
}

extension LoginFlow {
    /// The reason for a password prompt.
    public enum AskReason: Sendable, Hashable {
        /// The vault has no credentials.
        case nothingCached
        /// The server rejected the stored credentials, now or in an earlier sign-in.
        case rejected
        /// The server rejected the typed password.
        case wrong
    }

    /// The outcome of a sign-in.
    public enum Outcome: Sendable, Hashable {
        /// The user is signed in; ``LoginFlow/takeAccessToken()`` has the token.
        case signedIn
        /// The server neither accepted nor rejected the credentials, for example because it was
        /// unreachable. ``OfflineAllowance`` decides whether the user still counts as signed in.
        case noVerdict(SignInError)
        /// A password is needed, and the prompt had no answer.
        case needsPassword(AskReason)
        /// The server takes no passwords: the person signs in on its page. `isSessionOver` is true
        /// if the server refused the stored refresh token.
        case needsBrowser(isSessionOver: Bool)
        /// The server rejected every typed password.
        case rejected
        /// The account signed out earlier, and the user did not start this sign-in.
        case signedOut
    }
}
