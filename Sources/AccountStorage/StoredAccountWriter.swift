internal import Accounts
internal import TextCoding
internal import VaultStorage

/// Changes accounts inside one transaction, of whatever database.
final class StoredAccountWriter<Transaction: AccountTransaction>: AccountWriter, StoredAccountReader
{
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    func run<Value>(
        _ body: (Transaction.Database) throws(DatabaseError) -> Value
    ) throws(AccountRepositoryError) -> Value {
        try AccountRepositoryError.mapping { () throws(DatabaseError) in
            try transaction.call(body)
        }
    }

    func currentRefreshToken(
        of session: SessionID
    ) throws(AccountRepositoryError) -> RefreshToken? {
        try run { (database) throws(DatabaseError) in try database.currentRefreshToken(of: session) }
    }

    func countAttempts() throws(AccountRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in try database.countAttempts() }
    }

    func passwordCosts() throws(AccountRepositoryError) -> [PasswordCostCount] {
        try run { (database) throws(DatabaseError) in try database.passwordCosts() }
    }

    func decoyKey(orNew key: DecoyKey) throws(AccountRepositoryError) -> DecoyKey {
        try run { (database) throws(DatabaseError) in try database.decoyKey(orNew: key) }
    }

    func insert(_ account: Account) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.insert(account) }
    }

    func update(_ account: Account) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.update(account) }
    }

    func remove(_ account: AccountID) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.remove(account) }
    }

    func insert(_ session: SignInSession) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.insert(session) }
    }

    func setRefreshed(_ session: SessionID, at time: PointInTime) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.setRefreshed(session, at: time) }
    }

    func end(_ session: SessionID) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.end(session) }
    }

    func endSessions(of account: AccountID) throws(AccountRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in try database.endSessions(of: account) }
    }

    func endSessions(
        of account: AccountID, keeping limit: Int
    ) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in
            try database.endSessions(of: account, keeping: limit)
        }
    }

    func insert(_ token: AccessToken) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.insert(token) }
    }

    func removeAccessToken(_ hash: TokenHash) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.removeAccessToken(hash) }
    }

    func removeAccessTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in
            try database.removeAccessTokens(of: session, keeping: limit)
        }
    }

    func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws(AccountRepositoryError) -> RefreshToken? {
        try run { (database) throws(DatabaseError) in
            try database.removeReplacedTokens(of: session, keeping: limit)
        }
    }

    func insert(_ token: RefreshToken) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.insert(token) }
    }

    func setReplaced(_ token: TokenHash, at time: PointInTime) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.setReplaced(token, at: time) }
    }

    func put(_ invitation: Invitation) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.put(invitation) }
    }

    func removeInvitation(_ code: TokenHash) throws(AccountRepositoryError) -> Bool {
        try run { (database) throws(DatabaseError) in try database.removeInvitation(code) }
    }

    func put(_ attempts: AttemptRecord) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.put(attempts) }
    }

    func removeAttempts(_ key: AttemptKey) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.removeAttempts(key) }
    }

    func removeOldestAttempts(_ count: Int) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.removeOldestAttempts(count) }
    }

    func put(_ place: KnownPlace, keeping limit: Int) throws(AccountRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.put(place, keeping: limit) }
    }

    func purge(
        expiredBefore time: PointInTime, attemptsBefore attempts: PointInTime,
        placesBefore places: PointInTime
    ) throws(AccountRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in
            try database.purge(
                expiredBefore: time, attemptsBefore: attempts, placesBefore: places)
        }
    }
}

/// A transaction of a database with accounts.
protocol AccountTransaction {
    associatedtype Database: AccountDatabase

    /// Runs one call, if the transaction still stands.
    func call<Value>(
        _ body: (Database) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value
}

extension DatabaseTransaction: AccountTransaction where Kind == AccountSchema {}
extension PostgreSQLTransaction: AccountTransaction where Kind == PostgreSQLAccountSchema {}
