internal import Accounts
internal import TextCoding
internal import VaultStorage

/// Changes of sessions and tokens. To be called inside a transaction for writing.
extension AccountDatabase {
    func insert(_ session: SignInSession) throws(DatabaseError) {
        let inserted = try change(
            .insertSession,
            [
                .text(session.id.text), .text(session.account.text), .text(session.client),
                .integer(session.created.milliseconds), .integer(session.refreshed.milliseconds),
                .integer(session.expires.milliseconds),
            ])
        guard inserted == 0 else { return }
        throw try account(session.account) == nil ? .missing : .alreadyExists
    }

    func insert(_ token: AccessToken) throws(DatabaseError) {
        let inserted = try change(
            .insertAccessToken,
            [
                .bytes(token.hash.bytes), .text(token.session.text),
                .integer(token.issued.milliseconds), .integer(token.expires.milliseconds),
            ])
        try require(inserted, in: token.session)
    }

    func insert(_ token: RefreshToken) throws(DatabaseError) {
        let inserted = try change(
            .insertRefreshToken,
            [
                .bytes(token.hash.bytes), .text(token.session.text),
                .bytes(token.predecessor?.bytes), .integer(token.issued.milliseconds),
                .integer(token.expires.milliseconds), .integer(token.replaced?.milliseconds),
            ])
        try require(inserted, in: token.session)
    }

    /// Says why a token was not inserted.
    private func require(_ inserted: Int, in id: SessionID) throws(DatabaseError) {
        guard inserted == 0 else { return }
        throw try session(id) == nil ? .missing : .alreadyExists
    }

    func setRefreshed(_ session: SessionID, at time: PointInTime) throws(DatabaseError) {
        let updated = try change(
            .setRefreshed, [.text(session.text), .integer(time.milliseconds)])
        guard updated == 1 else { throw .missing }
    }

    func setReplaced(_ token: TokenHash, at time: PointInTime) throws(DatabaseError) {
        let updated = try change(
            .setReplaced, [.bytes(token.bytes), .integer(time.milliseconds)])
        guard updated == 1 else { throw .missing }
    }

    func removeAccessToken(_ hash: TokenHash) throws(DatabaseError) {
        try change(.removeAccessToken, [.bytes(hash.bytes)])
    }

    func end(_ session: SessionID) throws(DatabaseError) {
        try change(.removeAccessTokensOfSession, [.text(session.text)])
        try change(.removeRefreshTokensOfSession, [.text(session.text)])
        try change(.removeSession, [.text(session.text)])
    }

    func endSessions(of account: AccountID, keeping limit: Int) throws(DatabaseError) {
        let ended: [SignInSession] = try rows(
            .sessionsBeyond, [.text(account.text), .integer(Int64(max(limit, 0)))])
        for session in ended { try end(session.id) }
    }

    func removeAccessTokens(of session: SessionID, keeping limit: Int) throws(DatabaseError) {
        try change(
            .removeAccessTokensBeyond, [.text(session.text), .integer(Int64(max(limit, 0)))])
    }

    func removeReplacedTokens(
        of session: SessionID, keeping limit: Int
    ) throws(DatabaseError) -> RefreshToken? {
        let last: RefreshToken? = try row(
            .replacedTokenBeyond, [.text(session.text), .integer(Int64(max(limit, 0)))])
        guard let last, let replaced = last.replaced else { return nil }
        try change(
            .removeReplacedTokensUpTo,
            [.text(session.text), .integer(replaced.milliseconds), .bytes(last.hash.bytes)])
        return last
    }

    @discardableResult
    func endSessions(of account: AccountID) throws(DatabaseError) -> Int {
        try change(.removeAccessTokensOfAccount, [.text(account.text)])
        try change(.removeRefreshTokensOfAccount, [.text(account.text)])
        return try change(.removeSessionsOfAccount, [.text(account.text)])
    }
}
