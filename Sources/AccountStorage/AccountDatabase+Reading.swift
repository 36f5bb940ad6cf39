internal import Accounts
internal import VaultStorage

/// What is read, each as one statement and so of one snapshot.
extension AccountDatabase {
    func account(_ id: AccountID) throws(DatabaseError) -> Account? {
        try row(.account, [.text(id.text)])
    }

    func account(_ email: EmailAddress) throws(DatabaseError) -> Account? {
        try row(.accountOfEmail, [.text(email.text)])
    }

    func accounts(after email: EmailAddress?, limit: Int) throws(DatabaseError) -> [Account] {
        // No name is empty, and none comes before it.
        try rows(.accountsAfter, [.text(email?.text ?? ""), .integer(Int64(max(limit, 0)))])
    }

    func passwordCosts() throws(DatabaseError) -> [PasswordCostCount] {
        try rows(.passwordCosts, [])
    }

    func accessToken(_ hash: TokenHash) throws(DatabaseError) -> FoundAccessToken? {
        try row(.accessToken, [.bytes(hash.bytes)])
    }

    func refreshToken(_ hash: TokenHash) throws(DatabaseError) -> RefreshToken? {
        try row(.refreshToken, [.bytes(hash.bytes)])
    }

    func currentRefreshToken(of session: SessionID) throws(DatabaseError) -> RefreshToken? {
        try row(.currentRefreshToken, [.text(session.text)])
    }

    func session(_ id: SessionID) throws(DatabaseError) -> SignInSession? {
        try row(.session, [.text(id.text)])
    }

    func sessions(of account: AccountID) throws(DatabaseError) -> [SignInSession] {
        try rows(.sessionsOfAccount, [.text(account.text)])
    }

    func invitation(_ code: TokenHash) throws(DatabaseError) -> Invitation? {
        try row(.invitation, [.bytes(code.bytes)])
    }

    func invitations() throws(DatabaseError) -> [Invitation] {
        try rows(.invitations, [])
    }

    func attempts(_ key: AttemptKey) throws(DatabaseError) -> AttemptRecord? {
        try row(.attempts, [.bytes(key.bytes)])
    }

    func countAttempts() throws(DatabaseError) -> Int {
        try row(.countAttempts, []) ?? 0
    }

    func knownPlaces(of account: AccountID) throws(DatabaseError) -> [KnownPlace] {
        try rows(.knownPlaces, [.text(account.text)])
    }

    /// Asks something that costs little.
    func check() throws(DatabaseError) {
        let _: Int? = try row(.check, [])
    }
}
