internal import Sealing
public import TextCoding

/// What somebody who is signed in does with the own account. The current password is asked for again, and a wrong one counts as a guess.
extension AccountService {
    /// Begins a change of password.
    ///
    /// - Returns: The work that verifies the one and hashes the other. It ends all sessions, makes a new one for the caller, and fails with
    ///   `rejected` for a wrong password, `tokenRejected` if the session ended meanwhile.
    /// - Throws: `tokenRejected`, `tooManyAttempts`, `repository`.
    public func beginPasswordChange(
        accessToken: String, current: consuming AccountPassword, new: consuming AccountPassword,
        from network: String, at now: PointInTime
    ) throws(AccountServiceError) -> PasswordWork<IssuedTokens> {
        let caller = try authenticate(accessToken, at: now)
        let check = try PasswordCheck(
            self, caller.account.email, current, from: network, at: now)
        let new = HeldPassword(new)
        let token = TokenHash(of: accessToken)
        return PasswordWork { [self] (now) throws(AccountServiceError) in
            let verified = try check.verify()
            let hash = try Self.deriving { () throws(SealingError) in
                try hashing.hash(new.password, cost: rules.passwordCost)
            }
            return try check.complete(verified, at: now) {
                (account, writer) throws(AccountRepositoryError) in
                guard try Self.access(token, at: now, writer) != nil
                else { return .failure(.tokenRejected) }
                try writer.update(account.with(hash, at: now))
                try writer.endSessions(of: account.id)
                return .success(
                    try issuer.begin(
                        of: account.id, client: caller.session.client, at: now, in: writer))
            }
        } takeBack: { (now) throws(AccountServiceError) in
            try check.takeBack(at: now)
        }
    }

    /// Begins the removal of an account with all that belongs to it.
    ///
    /// - Returns: The work that verifies the password. It fails with `rejected` and `tokenRejected`.
    /// - Throws: `tokenRejected`, `tooManyAttempts`, `repository`.
    public func beginRemoval(
        accessToken: String, password: consuming AccountPassword, from network: String,
        at now: PointInTime
    ) throws(AccountServiceError) -> PasswordWork<Void> {
        let caller = try authenticate(accessToken, at: now)
        let check = try PasswordCheck(
            self, caller.account.email, password, from: network, at: now)
        let token = TokenHash(of: accessToken)
        return PasswordWork { (now) throws(AccountServiceError) in
            let verified = try check.verify()
            return try check.complete(verified, at: now) {
                (account, writer) throws(AccountRepositoryError) in
                guard try Self.access(token, at: now, writer) != nil
                else { return .failure(.tokenRejected) }
                return .success(try writer.remove(account.id))
            }
        } takeBack: { (now) throws(AccountServiceError) in
            try check.takeBack(at: now)
        }
    }
}

extension Account {
    /// The account with another password. The time of its change always grows: by it, a password that was verified is known to be the same.
    func with(_ password: PasswordHash, at now: PointInTime) -> Account {
        var changed = self
        changed.password = password
        changed.passwordChanged = max(now, passwordChanged.advanced(by: .milliseconds(1)))
        return changed
    }
}
