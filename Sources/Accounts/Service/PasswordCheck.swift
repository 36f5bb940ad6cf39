internal import Sealing
internal import TextCoding

/// A password that somebody says is that of an account, and the attempt that was counted for it.
///
/// Three steps: the attempt is counted in one transaction, the password is verified outside of any, and what it was verified for is done in
/// another one, which looks at the account again.
final class PasswordCheck: Sendable {
    private let service: AccountService
    private let password: AccountPassword
    private let reservation: AttemptLimiter.Reservation
    /// What is verified if there is no account.
    private let decoy: PasswordHash

    /// Counts an attempt.
    init(
        _ service: AccountService, _ name: EmailAddress, _ password: consuming AccountPassword,
        from network: String, at now: PointInTime
    ) throws(AccountServiceError) {
        let limiter = service.limiter
        let (outcome, costs) = try service.transaction(at: now) {
            (writer) throws(AccountRepositoryError) in
            // Asked for whether there is an account or not.
            let costs = try writer.passwordCosts()
            return (try limiter.reserve(name, from: network, at: now, in: writer), costs)
        }
        switch outcome {
        case .blocked(let waiting): throw .tooManyAttempts(retryAfter: waiting)
        case .reserved(let reservation): self.reservation = reservation
        }
        decoy = service.decoys.hash(for: name, among: costs)
        self.service = service
        self.password = password
    }

    /// Verifies the password, in the same time whether there is an account or not.
    ///
    /// - Returns: The account; it may have changed since.
    /// - Throws: `rejected` for a wrong password, an unknown name, and a disabled account: nobody learns which.
    func verify() throws(AccountServiceError) -> Account {
        let hash = reservation.account?.password ?? decoy
        let matches = try AccountService.deriving { () throws(SealingError) in
            try service.hashing.matches(password, hash)
        }
        guard matches, let account = reservation.account, !account.isDisabled else {
            throw .rejected
        }
        return account
    }

    /// The same password as a hash of the cost that the rules ask for; nil if the account has one already, or memory is missing for it.
    func renewedHash(of account: Account) -> PasswordHash? {
        guard account.password.cost.isLower(than: service.rules.passwordCost) else { return nil }
        return try? service.hashing.hash(password, cost: service.rules.passwordCost)
    }

    /// Does what the password was verified for in a transaction, if the account is there still, has the same password and may sign in. Its
    /// failures are forgotten.
    func complete<Value>(
        _ verified: Account, at now: PointInTime,
        _ body: (Account, any AccountWriter) throws(AccountRepositoryError) ->
            Result<Value, AccountServiceError>
    ) throws(AccountServiceError) -> Value {
        try service.transaction(at: now) { (writer) throws(AccountRepositoryError) in
            guard let account = try writer.account(verified.id), !account.isDisabled,
                account.passwordChanged == verified.passwordChanged
            else { return Result<Value, AccountServiceError>.failure(.rejected) }
            try service.limiter.succeed(reservation, of: account.id, at: now, in: writer)
            return try body(account, writer)
        }.get()
    }

    /// Nothing was verified: the attempt does not count.
    func takeBack(at now: PointInTime) throws(AccountServiceError) {
        try service.takeBack(.name(reservation), at: now)
    }
}
