internal import Sealing
public import SecretMemory
public import TextCoding

/// Why a request about accounts is refused. An error of the database or of a derivation is thrown as it is.
public enum AccountError: Error, Sendable, Hashable {
    /// The name, password or token is wrong. The error does not say which.
    case rejected
    /// The password is right, and the operator disabled the account.
    case disabled
    /// The session that a cached password continues was ended by its owner or an operator.
    case sessionEnded
    /// The password is right, and the account's second factor is missing.
    case secondFactorRequired(SecondFactorDemand)
    /// The password is right, and the second factor is wrong or was used before.
    case secondFactorRejected
    /// The new second factor cannot be added: another code than that of its secret, a short secret, or an answer to another challenge.
    case newFactorRejected
    /// The account has too many passkeys.
    case tooManyPasskeys
    /// The account has no such second factor.
    case factorMissing
    /// The access token is unknown, expired or revoked.
    case tokenRejected
    /// The access token is valid, and does not allow requests about its account.
    case scopeInsufficient
    /// Too many attempts failed; the next one is allowed after this time.
    case tooManyAttempts(retryAfter: Duration)
    /// The invitation is missing, unknown, used, expired, or for another name.
    case invitationRejected
    /// The name already has an account, or the row is already there.
    case alreadyExists
    /// The account does not exist, or the row does not, or the row that it belongs to.
    case missing
    /// The password has fewer than 8 characters.
    case passwordTooShort
    /// The password has more than 1,024 bytes.
    case passwordTooLong
    /// The password is not UTF-8.
    case passwordEncoding
    /// The new password is one of the most common ones.
    case passwordCommon
    /// The new password is the account's own address.
    case passwordIsAddress
}

/// Sign-in, token refresh, sign-out, and changes to the caller's own account. Thread-safe.
///
/// A request that verifies or hashes a password has two parts. `begin…` queries the database and is quick. The ``PasswordWork`` that it returns
/// takes the time and memory of Argon2id; run it on another thread.
public struct AccountService: Sendable {
    let repository: AccountRepository
    let rules: AccountRules
    let hashing: any PasswordHashing
    let random: RandomSource
    let limiter: WrongPasswordLimiter
    let issuer: TokenIssuer
    let secondFactors: SecondFactors
    /// Attempts that are released as soon as the database can be written.
    let unsettled = UnsettledAttempts()
    /// The hash that is verified for a name without an account: that of a random password, at the configured cost.
    ///
    /// A refusal then takes the same time with and without an account. The time differs for an account whose hash has another cost, until its
    /// owner signs in and the hash is renewed.
    let dummyHash: PasswordHash

    /// Makes the service, and hashes one password.
    ///
    /// - Throws: `SealingError` if memory is exhausted or the configured cost is not accepted.
    public init(
        repository: AccountRepository, rules: AccountRules = AccountRules(),
        pseudonyms: PseudonymKey, hashing: any PasswordHashing = Argon2idHashing(),
        random: RandomSource = .system
    ) throws {
        self.repository = repository
        self.rules = rules
        self.hashing = hashing
        self.random = random
        limiter = WrongPasswordLimiter(limits: rules.guessing, pseudonyms: pseudonyms)
        issuer = TokenIssuer(rules: rules, random: random)
        secondFactors = SecondFactors(limiter: limiter, random: random)
        let text = Hexadecimal.text(random.bytes(count: 32))
        let password = try AccountPassword(
            typed: SecretBytes(copying: unsafe text.utf8Span.span.bytes))
        dummyHash = try hashing.hash(password, cost: rules.passwordCost)
    }

    /// Releases attempts that were no guesses, and that could not be released before.
    ///
    /// Each sign-in does so too. A server without sign-ins calls this regularly if it shares its database.
    ///
    /// - Throws: An error of the database.
    public func settle(at now: PointInTime) throws {
        guard !unsettled.isEmpty else { return }
        try transaction(at: now) { _ in }
    }

    /// Releases an attempt, now or as soon as the database can be written again.
    ///
    /// - Throws: An error of the database if not now.
    func release(_ attempt: WrongPasswordLimiter.Reservation, at now: PointInTime) throws {
        unsettled.add(attempt)
        try settle(at: now)
    }

    /// Runs a transaction that first releases the unsettled attempts.
    ///
    /// A refusal is a value of `body`, not an error: an error would roll back the counted attempts.
    func transaction<Value>(
        at now: PointInTime, _ body: (AccountTransaction) throws -> Value
    ) throws -> Value {
        let attempts = unsettled.take()
        do {
            return try repository.change { transaction in
                for attempt in attempts { try limiter.release(attempt, in: transaction) }
                return try body(transaction)
            }
        } catch {
            if repository.canRetry(after: error) { unsettled.keep(attempts) }
            throw error
        }
    }
}
