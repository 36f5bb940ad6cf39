/// Why something was not done for an account. No case carries a secret, nor tells whether there is an account where that must not be learned.
public enum AccountServiceError: Error, Sendable, Hashable {
    /// Name or password are wrong, or the account is disabled, or a refresh token is not good, or no longer.
    case rejected
    /// An access token is not good, or no longer.
    case tokenRejected
    /// Too many attempts failed; the next one is allowed after this time.
    case tooManyAttempts(retryAfter: Duration)
    /// There is no such invitation for this name, or no longer.
    case invitationRejected
    /// There is such an account already.
    case alreadyExists
    /// There is no such account.
    case missing
    /// Memory is used up.
    case outOfMemory
    /// The database did not do what it was asked.
    case repository(AccountRepositoryError)
}
