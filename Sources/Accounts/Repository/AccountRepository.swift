public import TextCoding

/// Reads accounts and what belongs to them.
public protocol AccountReader {
    /// An account by its id; nil where there is none.
    func account(_ id: AccountID) throws(AccountRepositoryError) -> Account?

    /// An account by its name; nil where there is none.
    func account(_ email: EmailAddress) throws(AccountRepositoryError) -> Account?

    /// The accounts after this name, `limit` at most, in ascending order of the names' bytes.
    func accounts(
        after email: EmailAddress?, limit: Int
    ) throws(AccountRepositoryError) -> [Account]

    /// An access token with its session and account, expired or not; nil where there is none.
    func accessToken(_ hash: TokenHash) throws(AccountRepositoryError) -> FoundAccessToken?

    /// A refresh token, replaced or not, expired or not; nil where there is none.
    func refreshToken(_ hash: TokenHash) throws(AccountRepositoryError) -> RefreshToken?

    /// A session, expired or not; nil where there is none.
    func session(_ id: SessionID) throws(AccountRepositoryError) -> SignInSession?

    /// The sessions of an account, expired or not, the oldest first.
    func sessions(of account: AccountID) throws(AccountRepositoryError) -> [SignInSession]

    /// An invitation, void or not; nil where there is none.
    func invitation(_ code: TokenHash) throws(AccountRepositoryError) -> Invitation?

    /// All invitations, void or not, the oldest first.
    func invitations() throws(AccountRepositoryError) -> [Invitation]

    /// What is remembered of attempts; nil where nothing is.
    func attempts(_ key: AttemptKey) throws(AccountRepositoryError) -> AttemptRecord?

    /// The places from which somebody signed in to an account, the one used last first.
    func knownPlaces(of account: AccountID) throws(AccountRepositoryError) -> [KnownPlace]
}

/// An access token with what it stands for.
public struct FoundAccessToken: Sendable, Hashable {
    /// The token.
    public let token: AccessToken
    /// Its session.
    public let session: SignInSession
    /// Its account.
    public let account: Account

    /// Puts them together.
    public init(token: AccessToken, session: SignInSession, account: Account) {
        self.token = token
        self.session = session
        self.account = account
    }
}

/// The database of accounts, whatever it is.
///
/// What one call of ``change(_:)`` does is there wholly and durably after it returned, or not at all. Implementations are thread-safe; calls
/// from several threads may wait for one another. Expired rows count as there until they are purged: time is the caller's.
public protocol AccountRepository: AccountReader, Sendable {
    /// Runs `body` in a transaction that is the only one that writes, and commits it. An error of `body` rolls everything back.
    func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result

    /// Finds out whether the database answers.
    func check() throws(AccountRepositoryError)

    /// Closes the database; later calls fail with ``AccountRepositoryError/closed``. Closing twice is allowed.
    func close()
}

/// Changes accounts inside one transaction, and reads what is in it. Valid only during the call that lends it.
public protocol AccountWriter: AccountReader {
    /// Adds an account.
    ///
    /// - Throws: `alreadyExists` if its id or its name is taken.
    func insert(_ account: Account) throws(AccountRepositoryError)

    /// Replaces password, time of its change, and whether it is disabled.
    ///
    /// - Throws: `missing`.
    func update(_ account: Account) throws(AccountRepositoryError)

    /// Removes an account with its sessions, tokens and known places, and the invitations for its name.
    ///
    /// - Throws: `missing`.
    func remove(_ account: AccountID) throws(AccountRepositoryError)

    /// How many accounts have passwords of each cost that any of them has or had, in no order. Counts are kept with the accounts, so this is quick however
    /// many there are.
    func passwordCosts() throws(AccountRepositoryError) -> [PasswordCostCount]

    /// The key of decoys: the one that is stored, or else this one, which is stored from now on.
    func decoyKey(orNew key: DecoyKey) throws(AccountRepositoryError) -> DecoyKey

    /// Adds a session.
    ///
    /// - Throws: `missing` if there is no such account; `alreadyExists`.
    func insert(_ session: SignInSession) throws(AccountRepositoryError)

    /// Sets when tokens of a session were issued last.
    ///
    /// - Throws: `missing`.
    func setRefreshed(
        _ session: SessionID, at time: PointInTime
    ) throws(AccountRepositoryError)

    /// Ends a session: removes it with its tokens. Nothing happens where there is none.
    func end(_ session: SessionID) throws(AccountRepositoryError)

    /// Ends all sessions of an account.
    ///
    /// - Returns: How many.
    @discardableResult
    func endSessions(of account: AccountID) throws(AccountRepositoryError) -> Int

    /// Ends all sessions of an account but the `limit` ones of which tokens were issued last.
    func endSessions(
        of account: AccountID, keeping limit: Int
    ) throws(AccountRepositoryError)

    /// Adds an access token.
    ///
    /// - Throws: `missing` if there is no such session; `alreadyExists`.
    func insert(_ token: AccessToken) throws(AccountRepositoryError)

    /// Removes an access token; nothing happens where there is none.
    func removeAccessToken(_ hash: TokenHash) throws(AccountRepositoryError)

    /// Removes all access tokens of a session but the `limit` ones that were issued last.
    func removeAccessTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError)

    /// The refresh token of a session that is not replaced; nil where there is none.
    func currentRefreshToken(
        of session: SessionID
    ) throws(AccountRepositoryError) -> RefreshToken?

    /// Adds a refresh token.
    ///
    /// - Throws: `missing` if there is no such session; `alreadyExists`.
    func insert(_ token: RefreshToken) throws(AccountRepositoryError)

    /// Notes when another token took the place of this one.
    ///
    /// - Throws: `missing`.
    func setReplaced(_ token: TokenHash, at time: PointInTime) throws(AccountRepositoryError)

    /// Removes all replaced refresh tokens of a session but the `limit` ones that were replaced last.
    ///
    /// - Returns: The one of them that was replaced last; nil where none was removed.
    func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError) -> RefreshToken?

    /// Adds an invitation, in place of any that there is for the same name.
    func put(_ invitation: Invitation) throws(AccountRepositoryError)

    /// Removes an invitation.
    ///
    /// - Returns: Whether there was one.
    func removeInvitation(_ code: TokenHash) throws(AccountRepositoryError) -> Bool

    /// Remembers attempts, in place of what was remembered of the same key.
    func put(_ attempts: AttemptRecord) throws(AccountRepositoryError)

    /// Forgets attempts; nothing happens where there are none.
    func removeAttempts(_ key: AttemptKey) throws(AccountRepositoryError)

    /// The number of keys of which attempts are remembered.
    func countAttempts() throws(AccountRepositoryError) -> Int

    /// Forgets the attempts of the `count` keys whose last one is the longest ago.
    func removeOldestAttempts(_ count: Int) throws(AccountRepositoryError)

    /// Remembers a place, in place of what was remembered of the same key, and only the `limit` ones of the account that were used last.
    func put(_ place: KnownPlace, keeping limit: Int) throws(AccountRepositoryError)

    /// Removes sessions, tokens and invitations that expired before `time`, attempts whose last one was before `attempts`, and places last used
    /// before `places`. A session takes all its tokens with it.
    ///
    /// - Returns: How many had their time; tokens that only went with their session do not count.
    @discardableResult
    func purge(
        expiredBefore time: PointInTime, attemptsBefore attempts: PointInTime,
        placesBefore places: PointInTime
    ) throws(AccountRepositoryError) -> Int
}
