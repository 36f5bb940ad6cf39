internal import Accounts
internal import VaultStorage

/// Whoever reads accounts from a database, in a transaction or outside of one: the questions are the same.
protocol StoredAccountReader: AccountReader {
    associatedtype Database: AccountDatabase

    /// Runs `body` with the database. Outside of a transaction it is to be one statement, which is one snapshot.
    func run<Value>(
        _ body: (Database) throws(DatabaseError) -> Value
    ) throws(AccountRepositoryError) -> Value
}

/// Public, because what a public type has to have for a public protocol is.
extension StoredAccountReader {
    /// Reads an account; see `AccountReader`.
    public func account(_ id: AccountID) throws(AccountRepositoryError) -> Account? {
        try run { (database) throws(DatabaseError) in try database.account(id) }
    }

    /// Reads an account; see `AccountReader`.
    public func account(_ email: EmailAddress) throws(AccountRepositoryError) -> Account? {
        try run { (database) throws(DatabaseError) in try database.account(email) }
    }

    /// Lists accounts; see `AccountReader`.
    public func accounts(
        after email: EmailAddress?, limit: Int
    ) throws(AccountRepositoryError) -> [Account] {
        try run { (database) throws(DatabaseError) in
            try database.accounts(after: email, limit: limit)
        }
    }

    /// Reads a token; see `AccountReader`.
    public func accessToken(_ hash: TokenHash) throws(AccountRepositoryError) -> FoundAccessToken? {
        try run { (database) throws(DatabaseError) in try database.accessToken(hash) }
    }

    /// Reads a token; see `AccountReader`.
    public func refreshToken(_ hash: TokenHash) throws(AccountRepositoryError) -> RefreshToken? {
        try run { (database) throws(DatabaseError) in try database.refreshToken(hash) }
    }

    /// Reads a session; see `AccountReader`.
    public func session(_ id: SessionID) throws(AccountRepositoryError) -> SignInSession? {
        try run { (database) throws(DatabaseError) in try database.session(id) }
    }

    /// Lists sessions; see `AccountReader`.
    public func sessions(of account: AccountID) throws(AccountRepositoryError) -> [SignInSession] {
        try run { (database) throws(DatabaseError) in try database.sessions(of: account) }
    }

    /// Reads an invitation; see `AccountReader`.
    public func invitation(_ code: TokenHash) throws(AccountRepositoryError) -> Invitation? {
        try run { (database) throws(DatabaseError) in try database.invitation(code) }
    }

    /// Lists invitations; see `AccountReader`.
    public func invitations() throws(AccountRepositoryError) -> [Invitation] {
        try run { (database) throws(DatabaseError) in try database.invitations() }
    }

    /// Reads attempts; see `AccountReader`.
    public func attempts(_ key: AttemptKey) throws(AccountRepositoryError) -> AttemptRecord? {
        try run { (database) throws(DatabaseError) in try database.attempts(key) }
    }

    /// Lists places; see `AccountReader`.
    public func knownPlaces(of account: AccountID) throws(AccountRepositoryError) -> [KnownPlace] {
        try run { (database) throws(DatabaseError) in try database.knownPlaces(of: account) }
    }
}
