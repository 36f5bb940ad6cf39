internal import Sealing
public import TextCoding

extension AccountService {
    /// Begins a sign-in: counts the attempt.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - password: The password.
    ///   - client: The OAuth client for which the session is made.
    ///   - network: Where the attempt comes from, as addresses are counted.
    ///   - now: The time.
    /// - Returns: The work that verifies the password. It fails with `rejected`.
    /// - Throws: `tooManyAttempts`, `repository`.
    public func beginSignIn(
        _ name: EmailAddress, _ password: consuming AccountPassword, client: String,
        from network: String, at now: PointInTime
    ) throws(AccountServiceError) -> PasswordWork<IssuedTokens> {
        let check = try PasswordCheck(self, name, password, from: network, at: now)
        return PasswordWork { [issuer] (now) throws(AccountServiceError) in
            let verified = try check.verify()
            let renewed = check.renewedHash(of: verified)
            return try check.complete(verified, at: now) {
                (account, writer) throws(AccountRepositoryError) in
                if let renewed, account.password.cost.isLower(than: renewed.cost) {
                    var account = account
                    account.password = renewed
                    try writer.update(account)
                }
                return .success(
                    try issuer.begin(of: account.id, client: client, at: now, in: writer))
            }
        } takeBack: { (now) throws(AccountServiceError) in
            try check.takeBack(at: now)
        }
    }
}
