public import SecretMemory
internal import SecureStorage

/// Signs in: tries the saved credentials, then asks the person, and saves a typed password after the server accepted it.
///
/// ```
/// pending password ─rejected─▶ refresh token ─rejected─▶ saved password ─rejected─▶ question, up to three times
///        │ accepted                 │ accepted                │ accepted              │ accepted
///        ▼                          ▼                         ▼                       ▼
///  becomes the password        saves tokens              saves tokens         saves password and tokens
/// ```
///
/// A pending password is one to which the password may have been changed. After its rejection a usable saved password precedes the refresh
/// token, because it shows whether the old password is still valid. Without a verdict of the server nothing is forgotten.
public struct LoginFlow: ~Copyable {
    /// The largest number of questions.
    public static let maximumQuestions = 3

    private let context: SignInContext
    private let isRequested: Bool
    private var accessToken: SecretBytes?
    /// Whether the vault had a pending password when the saved credentials were tried.
    private var hadPending = false
    /// What the server said when it rejected a password last; nil if it said nothing. One line without control sequences.
    public private(set) var serverText: String?

    /// Prepares a sign-in.
    ///
    /// - Parameters:
    ///   - context: The account, the server and the vault.
    ///   - isRequested: Whether the person asked for this sign-in. If not, an account that signed out stays signed out.
    public init(_ context: SignInContext, isRequested: Bool = true) {
        self.context = context
        self.isRequested = isRequested
    }

    /// Signs in. Other processes of this machine wait, except during a question.
    ///
    /// - Parameter ask: Gets the reason and what the server said; returns the password that the person typed, or nil if there is none.
    /// - Returns: How the sign-in ended.
    /// - Throws: ``SignInError``, an error of the vault, `SecretMemoryError`, or an error of `ask`. The next sign-in recovers from an
    ///   interruption at any point.
    public mutating func run(_ ask: (AskReason, String?) throws -> SecretBytes?) throws -> Outcome {
        let context = context
        var step = try context.withCache { cache in try trySaved(cache) }
        for _ in 0..<Self.maximumQuestions {
            guard case .ask(let reason) = step else { break }
            guard let typed = try ask(reason, serverText) else { return .needsPassword(reason) }
            step = try context.withCache { cache in try tryTyped(typed, cache) }
        }
        guard case .done(let outcome) = step else { return .rejected }
        return outcome
    }

    /// Takes the access token that the server granted; nil if it granted none, or if the token was taken before.
    public mutating func takeAccessToken() -> SecretBytes? {
        accessToken.take()
    }

    private enum Step: Equatable {
        case ask(AskReason)
        case done(Outcome)
    }

    /// Tries the saved credentials, and once more if another machine stored another password meanwhile.
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
        hadPending = saved.pending != nil
        do {
            if let pending = saved.pending, saved.pendingState == .usable {
                do {
                    return try signIn(pending, over: saved.current, cache)
                } catch let error as SignInError where error.isVerdict {
                    isRejected = true
                    serverText = error.serverText
                    try cache.markRejected(.pending, pending, of: account, at: saved.time)
                }
            }
            // The change was never made, if another credential is still valid.
            let isChangeUndone = isRejected || saved.pendingState == .rejected
            if saved.hasRefreshToken, !(isRejected && saved.currentState == .usable),
                let token = try cache.token(.refresh)
            {
                do {
                    let tokens = try client.refresh(token)
                    if isChangeUndone { try dropSettled(saved, cache) }
                    return try finish(tokens, cache)
                } catch SignInError.rejected {
                    try cache.dropTokens()
                } catch let error as SignInError where error.isRefusal {
                    // A server that exchanges no tokens may still accept the password.
                }
            }
            if let current = saved.current, saved.currentState == .usable {
                do {
                    let tokens = try grant(current.value, cache, serverSession(cache))
                    if isChangeUndone { try dropSettled(saved, cache) }
                    return try finish(tokens, cache)
                } catch let error as SignInError where error.isVerdict {
                    isRejected = true
                    serverText = error.serverText
                    if let pending = saved.pending, saved.pendingState == .unsettled {
                        // The server may have made the change after the pending password was tried.
                        do {
                            return try signIn(pending, over: current, cache)
                        } catch let error as SignInError where error.isVerdict {
                            try cache.markRejected(.current, current, of: account, at: saved.time)
                            try cache.markRejected(.pending, pending, of: account, at: saved.time)
                        }
                    } else {
                        try cache.markRejected(.current, current, of: account, at: saved.time)
                    }
                }
            }
        } catch let error as SignInError {
            try cache.noteTime(context.now())
            // After a rejected password the person is not merely offline.
            return .done(isRejected ? .needsPassword(.rejected) : .notAsked(error))
        }
        let isPasswordWrong =
            isRejected || saved.currentState != .none || saved.pendingState == .unsettled
        return .ask(isPasswordWrong ? .rejected : .nothingCached)
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
                if hadPending { try dropSettled(saved, cache) }
            }
            return try finish(tokens, cache)
        } catch let error as SignInError where error.isVerdict {
            serverText = error.serverText
            return .ask(.wrong)
        } catch let error as SignInError {
            try cache.noteTime(context.now())
            return .done(.notAsked(error))
        }
    }

    private borrowing func isSignedOut(_ cache: CredentialCache) throws -> Bool {
        guard !isRequested else { return false }
        return try cache.session()?.isSignedOut == true
    }

    /// Tries the pending password, and makes it the saved one.
    private mutating func signIn(
        _ pending: CachedPassword, over current: CachedPassword?, _ cache: CredentialCache
    ) throws -> Step {
        let tokens = try grant(pending.value, cache, serverSession(cache))
        try cache.promote(pending, over: current, of: context.account, at: context.now())
        return try finish(tokens, cache)
    }

    /// Signs in with a password, as the device that the server knows; a cached one continues a session. The device's token is stored first,
    /// because it stays valid in any case.
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

    /// The session that a cached password continues.
    private borrowing func serverSession(_ cache: CredentialCache) throws -> String? {
        let session = try cache.session()
        return session?.account == context.account ? session?.serverSession : nil
    }

    /// Drops the pending password, unless its change may still be in progress.
    private borrowing func dropSettled(
        _ saved: CachedCredentials, _ cache: CredentialCache
    ) throws {
        guard let pending = saved.pending, cache.maySettle(pending, at: saved.time) else { return }
        try cache.drop(pending, of: context.account)
    }

    private mutating func finish(
        _ tokens: consuming GrantedTokens, _ cache: CredentialCache
    ) throws -> Step {
        if context.options.cachesCredentials {
            try cache.store(tokens, of: context.account, at: context.now())
        } else {
            try cache.noteSuccess(of: context.account, at: context.now())
        }
        accessToken = .some(tokens.access)
        return .done(.signedIn)
    }
}

extension LoginFlow {
    /// Why the person is asked.
    public enum AskReason: Sendable, Hashable {
        /// The vault has no credentials.
        case nothingCached
        /// The server rejected the saved credentials, now or at an earlier sign-in.
        case rejected
        /// The server rejected the typed password.
        case wrong
    }

    /// How a sign-in ended.
    public enum Outcome: Sendable, Hashable {
        /// Signed in; ``LoginFlow/takeAccessToken()`` has the token.
        case signedIn
        /// The server gave no verdict. ``OfflineAllowance`` tells whether the person still counts as signed in.
        case notAsked(SignInError)
        /// A password is needed, and there was no answer to the question.
        case needsPassword(AskReason)
        /// The server rejected every typed password.
        case rejected
        /// The account signed out before, and this sign-in was not requested.
        case signedOut
    }
}
