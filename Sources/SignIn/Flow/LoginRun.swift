internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Performs the steps of a ``LoginFlow`` between two questions, and that of a ``PasswordChange``.
struct LoginRun: ~Copyable {
    private let cache: CredentialCache
    private let client: any AuthClient
    private let account: AccountName
    private let now: @Sendable () -> PointInTime
    /// The passwords of the vault as they are when the run begins, and are tried.
    private let pending: CachedPassword?
    private let current: CachedPassword?
    private let refreshToken: SecretBytes?
    /// When the run began: every answer is later.
    private let began: PointInTime

    init(
        _ cache: CredentialCache, _ context: SignInContext
    ) throws(SecureStoreError) {
        let account = context.account
        began = context.now()
        let pending = try cache.password(.pending, of: account)
        let current = try cache.password(.current, of: account)
        let refreshToken = try cache.token(.refresh)
        self.cache = cache
        client = context.client
        self.account = account
        now = context.now
        self.pending = pending
        self.current = current
        self.refreshToken = refreshToken
    }

    /// Performs the next step.
    ///
    /// - Parameters:
    ///   - flow: Says which, and gets the answer.
    ///   - typed: What the person typed since the last question.
    ///   - accessToken: Gets what the server granted.
    /// - Returns: Whether there is one more.
    /// - Throws: What the store throws.
    borrowing func perform(
        _ flow: inout LoginFlow, _ typed: borrowing SecretBytes?,
        _ accessToken: inout SecretBytes?
    ) throws(SecureStoreError) -> Bool {
        let tokens: GrantedTokens
        do throws(AuthClientError) {
            switch flow.step {
            case .ask, .done: return false
            case .refresh: tokens = try refresh()
            case .signIn(.pending): tokens = try signIn(pending)
            case .signIn(.cached): tokens = try signIn(current)
            case .signIn(.typed): tokens = try signIn(typed)
            }
        } catch {
            for change in error.isVerdict ? flow.rejected() : flow.failed(error) {
                try forget(change)
            }
            return true
        }
        for change in flow.accepted() { try apply(change, tokens, typed) }
        accessToken = .some(tokens.access)
        return true
    }

    /// Whether the vault has a password that was not tried: another machine may have changed it meanwhile.
    borrowing func isOutdated() throws(SecureStoreError) -> Bool {
        let cached = try cache.credentials(of: account, at: now())
        // What was tried in this run is marked.
        return cached.password == .usable || cached.pendingPassword == .usable
    }

    /// Whether this is the password that was noted.
    borrowing func isPending(_ password: borrowing SecretBytes) -> Bool {
        switch pending {
        case .some(let pending): pending.value.isEqual(to: password)
        case .none: false
        }
    }

    /// Asks for another password; the new one has been noted.
    borrowing func perform(
        _ change: inout PasswordChange, _ old: borrowing SecretBytes, _ new: borrowing SecretBytes,
        _ accessToken: borrowing SecretBytes
    ) throws(SecureStoreError) {
        let tokens: GrantedTokens
        do throws(AuthClientError) {
            tokens = try client.changePassword(accessToken, from: old, to: new)
        } catch {
            // What was noted a moment ago goes again: nothing is under way.
            for change in change.failed(error) where change == .dropPending { try drop() }
            return
        }
        for change in change.accepted() { try apply(change, tokens, nil) }
    }

    private borrowing func apply(
        _ change: CacheChange, _ tokens: borrowing GrantedTokens, _ typed: borrowing SecretBytes?
    ) throws(SecureStoreError) {
        switch change {
        case .storeTokens: try cache.store(tokens, of: account, at: now())
        case .storeTyped: try store(typed)
        case .promotePending: try promote()
        case .noteSuccess: try cache.noteSuccess(of: account, at: now())
        default: try forget(change)
        }
    }

    private borrowing func refresh() throws(AuthClientError) -> GrantedTokens {
        switch refreshToken {
        case .some(let token): try client.refresh(token)
        case .none: throw .rejected
        }
    }

    private borrowing func signIn(
        _ password: borrowing CachedPassword?
    ) throws(AuthClientError) -> GrantedTokens {
        switch password {
        case .some(let password): try client.signIn(account, password: password.value)
        case .none: throw .rejected
        }
    }

    private borrowing func signIn(
        _ password: borrowing SecretBytes?
    ) throws(AuthClientError) -> GrantedTokens {
        switch password {
        case .some(let password): try client.signIn(account, password: password)
        case .none: throw .rejected
        }
    }

    /// What follows from a rejection, or from no answer.
    private borrowing func forget(_ change: CacheChange) throws(SecureStoreError) {
        switch change {
        case .dropTokens: try cache.dropTokens()
        case .noteTime: try cache.noteTime(now())
        case .dropPending:
            if maySettle { try drop() }
        case .markPendingRejected:
            switch pending {
            case .some(let pending):
                try cache.markRejected(.pending, pending, of: account, at: began)
            case .none: break
            }
        case .markRejected:
            switch current {
            case .some(let current):
                try cache.markRejected(.current, current, of: account, at: began)
            case .none: break
            }
        case .storeTokens, .storeTyped, .promotePending, .noteSuccess:
            preconditionFailure("the server granted nothing")
        }
    }

    private var maySettle: Bool {
        switch pending {
        case .some(let pending): cache.maySettle(pending, at: began)
        case .none: false
        }
    }

    private borrowing func drop() throws(SecureStoreError) {
        switch pending {
        case .some(let pending): try cache.drop(pending, of: account)
        case .none: break
        }
    }

    private borrowing func store(_ typed: borrowing SecretBytes?) throws(SecureStoreError) {
        switch typed {
        case .some(let typed): try cache.store(typed, over: current, of: account, at: now())
        case .none: break
        }
    }

    private borrowing func promote() throws(SecureStoreError) {
        switch pending {
        case .some(let pending):
            try cache.promote(pending, over: current, of: account, at: now())
        case .none: break
        }
    }
}
