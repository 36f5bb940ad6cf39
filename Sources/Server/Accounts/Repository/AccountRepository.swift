public import TextCoding

/// Queries of accounts and their rows.
public protocol AccountReader: InboxReader, ChecklistReader {
    /// An account by its id; nil if there is none.
    func account(_ id: AccountID) throws -> Account?

    /// An account by its name; nil if there is none.
    func account(_ email: EmailAddress) throws -> Account?

    /// At most `limit` accounts after a name, in ascending order of the names' bytes.
    func accounts(after email: EmailAddress?, limit: Int) throws -> [Account]

    /// An access token with its session and account, expired or not; nil if there is none.
    func accessToken(_ hash: TokenHash) throws -> FoundAccessToken?

    /// A refresh token, replaced or not, expired or not; nil if there is none.
    func refreshToken(_ hash: TokenHash) throws -> RefreshToken?

    /// A session, expired or not; nil if there is none.
    func session(_ id: SessionID) throws -> SignInSession?

    /// The sessions of an account, expired or not, the oldest first.
    func sessions(of account: AccountID) throws -> [SignInSession]

    /// Where a session began, also after its end by itself; nil if it is not known.
    func device(of session: SessionID) throws -> SessionDevice?

    /// Where the sessions of an account began, also after their end by themselves, in any order.
    func devices(of account: AccountID) throws -> [SessionDevice]

    /// An invitation, expired or not; nil if there is none.
    func invitation(_ code: TokenHash) throws -> Invitation?

    /// All invitations, expired or not, the oldest first.
    func invitations() throws -> [Invitation]

    /// The guesses of a key; nil if there are none.
    func attempts(_ key: AttemptKey) throws -> AttemptRecord?

    /// A known device by the hash of its token; nil if there is none.
    func knownDevice(_ hash: TokenHash) throws -> KnownDevice?

    /// The known devices of an account, the confirmed ones first, of each kind the last used one first.
    func knownDevices(of account: AccountID) throws -> [KnownDevice]
}

/// An access token with its session and its account.
public struct FoundAccessToken: Sendable, Hashable {
    /// The token.
    public let token: AccessToken
    /// Its session.
    public let session: SignInSession
    /// Its account. The password is not read: each request with a token reads this row.
    public let account: AccountProfile

    /// Makes a result of the three.
    public init(token: AccessToken, session: SignInSession, account: AccountProfile) {
        self.token = token
        self.session = session
        self.account = account
    }
}

/// The database of accounts.
///
/// The changes of one call of ``change(_:)`` are durable when it returns, all of them or none. Implementations are thread-safe; a call may wait
/// for calls of other threads. An expired row exists until it is purged: the caller has the clock.
///
/// Calls throw the errors of the database as they are.
public protocol AccountRepository: AccountReader, Sendable {
    /// Runs `body` in a transaction without other writers, and commits it. An error of `body` rolls it back and is thrown as it is.
    @discardableResult
    func change<Result>(_ body: (any AccountWriter) throws -> Result) throws -> Result

    /// Whether a change that failed with this error certainly changed nothing, and may succeed later.
    func canRetry(after error: any Error) -> Bool

    /// Checks that the database answers.
    func check() throws

    /// Closes the database; later calls fail. Closing twice is allowed.
    func close()
}

/// Changes inside one transaction, and queries that see them. Calls fail after the transaction.
public protocol AccountWriter: AccountReader, InboxWriter, ChecklistWriter {
    /// Adds an account.
    ///
    /// - Throws: ``AccountError/alreadyExists`` if its id or its name is taken.
    func insert(_ account: Account) throws

    /// Replaces the password, the time of its change, and whether sign-in is refused.
    ///
    /// - Throws: ``AccountError/missing``.
    func update(_ account: Account) throws

    /// Removes an account with its sessions, tokens, known devices and inboxes, and the invitations for its name.
    ///
    /// - Throws: ``AccountError/missing``.
    func remove(_ account: AccountID) throws

    /// Adds a session.
    ///
    /// - Throws: ``AccountError/missing`` if the account does not exist; ``AccountError/alreadyExists``.
    func insert(_ session: SignInSession) throws

    /// Stores where a session began. Of those of the account without a session the newest stay, so that there are at most `limit`.
    func insert(_ device: SessionDevice, keeping limit: Int) throws

    /// Forgets where a session began, if that is known.
    func removeDevice(of session: SessionID) throws

    /// Sets the time when tokens of a session were last issued.
    ///
    /// - Throws: ``AccountError/missing``.
    func setRefreshed(_ session: SessionID, at time: PointInTime) throws

    /// Removes a session, if it exists, with its tokens.
    func end(_ session: SessionID) throws

    /// Removes all sessions of an account with their tokens.
    ///
    /// - Returns: The number of sessions.
    @discardableResult
    func endSessions(of account: AccountID) throws -> Int

    /// Removes all but the `limit` last refreshed sessions of an account.
    func endSessions(of account: AccountID, keeping limit: Int) throws

    /// Adds an access token.
    ///
    /// - Throws: ``AccountError/missing`` if the session does not exist; ``AccountError/alreadyExists``.
    func insert(_ token: AccessToken) throws

    /// Removes an access token, if it exists.
    func removeAccessToken(_ hash: TokenHash) throws

    /// Removes all but the `limit` last issued access tokens of a session.
    func removeAccessTokens(of session: SessionID, keeping limit: Int) throws

    /// The refresh token of a session that is not replaced; nil if there is none.
    func currentRefreshToken(of session: SessionID) throws -> RefreshToken?

    /// Adds a refresh token.
    ///
    /// - Throws: ``AccountError/missing`` if the session does not exist; ``AccountError/alreadyExists``.
    func insert(_ token: RefreshToken) throws

    /// Records when a refresh token was replaced.
    ///
    /// - Throws: ``AccountError/missing``.
    func setReplaced(_ token: TokenHash, at time: PointInTime) throws

    /// Removes all but the `limit` last replaced refresh tokens of a session; the current one stays.
    ///
    /// - Returns: The last replaced token among the removed ones; nil if none was removed.
    func removeReplacedTokens(of session: SessionID, keeping limit: Int) throws -> RefreshToken?

    /// Adds an invitation, and removes an earlier one for the same name.
    func put(_ invitation: Invitation) throws

    /// Removes an invitation.
    ///
    /// - Returns: Whether it existed.
    func removeInvitation(_ code: TokenHash) throws -> Bool

    /// Stores the attempts of a key in place of earlier ones.
    func put(_ attempts: AttemptRecord) throws

    /// Removes the attempts of a key, if there are any.
    func removeAttempts(_ key: AttemptKey) throws

    /// The number of keys with attempts.
    func countAttempts() throws -> Int

    /// Removes the attempts that rest at `time`; they have no effect.
    func removeAttempts(restingAt time: PointInTime) throws

    /// Adds an event.
    func insert(_ event: AuditEvent) throws

    /// Removes at most `limit` events, the oldest first.
    ///
    /// - Returns: The events.
    func takeAuditEvents(limit: Int) throws -> [AuditEvent]

    /// Stores a device in place of an earlier row of its token. Of the account's devices that are confirmed as it is, it keeps the `limit` last
    /// used ones.
    func put(_ device: KnownDevice, keeping limit: Int) throws

    /// Removes sessions, tokens and invitations that expired before `time`, attempts that rest before it, and devices last used before
    /// `devices`. A session is removed with all its tokens.
    ///
    /// - Returns: The number of removed rows, without tokens that had not expired themselves.
    @discardableResult
    func purge(
        expiredBefore time: PointInTime, devicesBefore devices: PointInTime
    ) throws -> Int
}
