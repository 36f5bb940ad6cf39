/// What the vault has for an account, without the secrets themselves.
public struct CachedCredentials: Sendable, Hashable {
    /// How it stands with a password.
    public enum Password: Sendable, Hashable {
        /// There is none.
        case none
        /// There is one.
        case usable
        /// There is one that the server rejected. It is not tried again by itself, because each attempt counts as a guess.
        case rejected
        /// There is one that the server rejected while a change of the password may be under way. Until that is settled it is not tried again
        /// by itself; neither is it given up.
        case unsettled
    }

    /// The password that counted at last.
    public var password: Password
    /// The one to which it may have been changed.
    public var pendingPassword: Password
    /// Whether there is a refresh token of this machine.
    public var hasRefreshToken: Bool

    /// Makes a description.
    public init(
        password: Password = .none, pendingPassword: Password = .none,
        hasRefreshToken: Bool = false
    ) {
        self.password = password
        self.pendingPassword = pendingPassword
        self.hasRefreshToken = hasRefreshToken
    }
}

/// What is to be stored after an answer.
public enum CacheChange: Sendable, Hashable {
    /// The tokens that were granted.
    case storeTokens
    /// The tokens are worth nothing any more.
    case dropTokens
    /// The password that was typed.
    case storeTyped
    /// The pending password is the password now.
    case promotePending
    /// The pending password never became one.
    case dropPending
    /// The cached password was rejected.
    case markRejected
    /// The pending password was rejected.
    case markPendingRejected
    /// The server accepted the account at this time.
    case noteSuccess
    /// It is at least this late.
    case noteTime
}
