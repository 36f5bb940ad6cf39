/// How somebody is signed in: which question comes after which answer. It asks nobody itself and stores nothing.
///
/// ``step`` says what is to be done; the answer goes into one of the functions named after it, which return what is to be stored first.
/// A value for each start. What was rejected while a change of the password may be under way is passed over until that is settled; only
/// when the cached password is rejected too, the pending one is tried once more.
///
/// ```
/// pending password? ──▶ signIn(.pending) ─rejected─▶┐
/// refresh token?    ──▶ refresh ──rejected, refused─▶┤
/// cached password?  ──▶ signIn(.cached) ──rejected─▶┴▶ ask ──▶ signIn(.typed) ─rejected─▶ ask, three times
///                            │ accepted: signed in     │ nobody to ask: ends
///                            └ nobody answers: offline, nothing is forgotten
/// ```
public struct LoginFlow: Sendable {
    /// How often a person is asked.
    public static let maximumQuestions = 3

    /// What is to be done next.
    public private(set) var step: Step
    private let cached: CachedCredentials
    private let cachesCredentials: Bool
    private var questions = 0
    /// Whether the server rejected the pending password in this run.
    private var pendingIsWrong = false
    /// Whether it rejected the cached one.
    private var currentIsWrong = false

    /// Begins.
    ///
    /// - Parameters:
    ///   - cached: What the vault has.
    ///   - cachesCredentials: Whether anything may be stored.
    public init(_ cached: CachedCredentials, cachesCredentials: Bool = true) {
        self.cached = cached
        self.cachesCredentials = cachesCredentials
        step =
            cached.pendingPassword == .usable
            ? .signIn(.pending) : cached.hasRefreshToken ? .refresh : .signIn(.cached)
        if step == .signIn(.cached) { step = afterTokens }
    }

    /// The server accepted what ``step`` sent.
    ///
    /// - Returns: What is to be stored, in this order.
    public mutating func accepted() -> [CacheChange] {
        var changes: [CacheChange] = []
        switch step {
        case .refresh, .signIn(.cached):
            // Whatever was accepted would not be if the password had been changed.
            if pendingIsWrong || cached.pendingPassword == .rejected {
                changes.append(.dropPending)
            }
        case .signIn(.pending):
            changes.append(.promotePending)
        case .signIn(.typed):
            if cachesCredentials { changes.append(.storeTyped) }
            if cached.pendingPassword != .none { changes.append(.dropPending) }
        case .ask, .done:
            preconditionFailure("nobody was asked")
        }
        if cachesCredentials { changes.append(.storeTokens) }
        changes.append(.noteSuccess)
        step = .done(.signedIn)
        return changes
    }

    /// The server rejected what ``step`` sent.
    ///
    /// - Returns: What is to be stored, in this order.
    public mutating func rejected() -> [CacheChange] {
        switch step {
        case .refresh:
            step = afterTokens
            return [.dropTokens]
        case .signIn(.pending):
            pendingIsWrong = true
            if currentIsWrong {
                step = .ask(.rejected)
                return [.markRejected, .markPendingRejected]
            }
            // A password before the tokens: it is the old one that must be seen to count still.
            step = cached.password == .usable || !cached.hasRefreshToken ? afterTokens : .refresh
            return [.markPendingRejected]
        case .signIn(.cached):
            currentIsWrong = true
            // Where the old one does not count any more, a change that was under way may have come to its end.
            if cached.pendingPassword == .unsettled {
                step = .signIn(.pending)
                return []
            }
            step = .ask(.rejected)
            return [.markRejected]
        case .signIn(.typed):
            step = questions < Self.maximumQuestions ? .ask(.wrong) : .done(.rejected)
            return []
        case .ask, .done:
            preconditionFailure("nobody was asked")
        }
    }

    /// Nobody gave a verdict: no connection, no certificate, too much to do. Everything stays. After a password of the vault was rejected in
    /// this run nobody counts as not asked.
    public mutating func failed(_ error: AuthClientError) -> [CacheChange] {
        if step == .refresh, error.isRefusal {
            // A server that exchanges no tokens may accept the password, and would refuse them at every start.
            step = afterTokens
            return []
        }
        let isRejected = step != .signIn(.typed) && (pendingIsWrong || currentIsWrong)
        step = .done(isRejected ? .needsPassword(.rejected) : .notAsked(error))
        return [.noteTime]
    }

    /// The person typed a password.
    public mutating func typed() {
        questions += 1
        step = .signIn(.typed)
    }

    /// There is nobody to ask, or the person ended it.
    public mutating func notTyped() {
        guard case .ask(let reason) = step else { preconditionFailure("nobody was asked") }
        step = .done(.needsPassword(reason))
    }

    /// What comes when there are no tokens, or none that are good.
    private var afterTokens: Step {
        switch cached.password {
        case .usable: .signIn(.cached)
        case .rejected, .unsettled: .ask(.rejected)
        case .none:
            .ask(
                pendingIsWrong || cached.pendingPassword == .unsettled ? .rejected : .nothingCached)
        }
    }
}

extension LoginFlow {
    /// What is to be done.
    public enum Step: Sendable, Hashable {
        /// Send the refresh token.
        case refresh
        /// Send a password.
        case signIn(PasswordSource)
        /// Ask the person.
        case ask(AskReason)
        /// Nothing.
        case done(Outcome)
    }

    /// Where a password comes from.
    public enum PasswordSource: Sendable, Hashable {
        /// A change of the password that was begun, and of which nobody knows whether the server made it.
        case pending
        /// The vault.
        case cached
        /// The person.
        case typed
    }

    /// Why the person is asked.
    public enum AskReason: Sendable, Hashable {
        /// The vault has nothing.
        case nothingCached
        /// What the vault has was rejected, now or at an earlier start.
        case rejected
        /// What was typed is wrong.
        case wrong
    }

    /// How it ended.
    public enum Outcome: Sendable, Hashable {
        /// Signed in.
        case signedIn
        /// The server gave no verdict. Whether the person counts as signed in meanwhile is ``OfflineAllowance``'s.
        case notAsked(AuthClientError)
        /// Nobody was there to be asked.
        case needsPassword(AskReason)
        /// Everything that was typed was wrong.
        case rejected
        /// The person had signed out, and did not ask to be signed in.
        case signedOut
    }
}
