internal import Sealing
internal import Synchronization
internal import TextCoding

/// A password sent for an account.
///
/// Three steps: one transaction counts the attempt; the password is verified outside of a transaction; another transaction reads the account
/// again and makes the change.
final class PasswordCheck: Sendable {
    private struct State {
        var account: Account?
        var reservation: WrongPasswordLimiter.Reservation?
        /// The event that this attempt was one of several wrong passwords.
        var event: AccountID?
    }

    private let service: AccountService
    private let name: EmailAddress
    private let typed: TypedPassword
    private let counter: WrongPasswordLimiter.Counter
    private let state = Mutex(State())

    /// Refuses an attempt that has to wait. A query decides, not a transaction: such attempts are unlimited in number and must not block writers.
    ///
    /// - Throws: `tooManyAttempts`; an error of the database.
    init(
        _ service: AccountService, _ name: EmailAddress, _ typed: TypedPassword,
        counted counter: WrongPasswordLimiter.Counter, at now: PointInTime
    ) throws {
        let limiter = service.limiter
        let endCount = limiter.verifications.endCount
        let waiting = try service.repository.read {
            try limiter.wait(of: counter, at: now, in: $0)
        }
        // A current attempt may have the right password, which releases it.
        guard waiting == .zero || limiter.verifications.hasChanged(counter.key, since: endCount)
        else {
            throw AccountError.tooManyAttempts(retryAfter: waiting)
        }
        self.service = service
        self.name = name
        self.counter = counter
        self.typed = typed
    }

    /// The account after its password was verified, right or wrong; nil before, and for a name without an account.
    var account: AccountID? { state.withLock { $0.account?.id } }

    /// Counts the attempt, and verifies the password, in the same time with and without an account; see ``AccountService/dummyHash``.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - body: Continues with the account, which may have changed since. Until it returns, further attempts wait instead of being refused.
    /// - Returns: The result of `body`.
    /// - Throws: `rejected` for a wrong password and an unknown name; `disabled` after the right password of a disabled account; `tooManyAttempts`;
    ///   `SealingError`; an error of `body`.
    func verify<Value>(at now: PointInTime, _ body: (Account) throws -> Value) throws -> Value {
        let password = try normalized()
        let found = try reserve(at: now)
        defer { service.limiter.verifications.end(counter.key) }
        let hash = found?.password ?? service.dummyHash
        let matches = try service.hashing.matches(password, hash)
        guard matches, let found else { throw AccountError.rejected }
        guard !found.isDisabled else { throw AccountError.disabled }
        return try body(found)
    }

    /// The normalised password. An invalid text is a wrong password but no guess, because nothing is verified.
    private func normalized() throws -> AccountPassword {
        do {
            return try typed.normalized()
        } catch is AccountError {
            throw AccountError.rejected
        }
    }

    /// Counts the attempt. A blocked attempt first waits for the current ones of its key.
    ///
    /// - Returns: The account; nil for a name without one.
    private func reserve(at now: PointInTime) throws -> Account? {
        let limiter = service.limiter
        while true {
            let endCount = limiter.verifications.begin(counter.key)
            do {
                let (outcome, account, event) = try service.transaction(at: now) { transaction in
                    let outcome = try limiter.reserve(counter, at: now, in: transaction)
                    let account = try transaction.account(name)
                    return (
                        outcome, account,
                        try noteGuesses(outcome, account, at: now, in: transaction)
                    )
                }
                switch outcome {
                case .reserved(let reservation):
                    state.withLock {
                        $0.account = account
                        $0.reservation = reservation
                        $0.event = event
                    }
                    return account
                case .blocked(let waiting):
                    guard limiter.verifications.waitForOthers(counter.key, since: endCount) else {
                        throw AccountError.tooManyAttempts(retryAfter: waiting)
                    }
                }
            } catch let refusal as AccountError {
                throw refusal
            } catch {
                limiter.verifications.end(counter.key)
                throw error
            }
        }
    }

    /// Notes guesses at an account's name, once for each series of guesses.
    ///
    /// - Returns: The event, which is taken back if the password is right.
    private func noteGuesses(
        _ outcome: WrongPasswordLimiter.Outcome, _ account: Account?, at now: PointInTime,
        in transaction: AccountTransaction
    ) throws -> AccountID? {
        guard case .reserved(let reservation?) = outcome, !counter.networks.isEmpty,
            reservation.count == service.limiter.limits.freeFailures
        else { return nil }
        let event = AuditEvent(
            id: AccountID(random: service.random), time: now, action: .guessed,
            subject: account?.id ?? AccountID(random: service.random), actor: AuditEvent.stranger,
            network: AccountTransaction.shown(counter.networks))
        // The same statements without an account, so that their time does not tell of one. Then the event is not kept.
        try transaction.note(
            event, keeping: account == nil ? 0 : AuditEvent.maximumOfAccount, logged: false)
        return account == nil ? nil : event.id
    }

    /// Hashes the password at the configured cost; nil if the account's hash has that cost, or if memory is exhausted.
    func renewedHash(of account: Account) -> PasswordHash? {
        guard account.password.cost.isLower(than: service.rules.passwordCost) else { return nil }
        return try? service.hashing.hash(typed.normalized(), cost: service.rules.passwordCost)
    }

    /// Makes a change in a transaction, provided that the account still has the same password and is enabled. The failures of its network are
    /// forgotten.
    ///
    /// - Throws: `rejected`, the refusal that `body` returns, or an error of the database.
    func complete<Value>(
        _ verified: Account, at now: PointInTime,
        _ body: (Account, AccountTransaction) throws -> Result<Value, AccountError>
    ) throws -> Value {
        let (reservation, event) = state.withLock { ($0.reservation, $0.event) }
        let value = try service.transaction(at: now) { transaction in
            guard let account = try transaction.account(verified.id), !account.isDisabled,
                account.passwordChanged == verified.passwordChanged
            else { return Result<Value, AccountError>.failure(.rejected) }
            if let reservation { try service.limiter.succeed(reservation, in: transaction) }
            if let event { try transaction.removeAuditEvent(event) }
            let result = try body(account, transaction)
            // A code that a second factor was missing for is sent again with it.
            if case .success = result, let code = counter.code {
                try transaction.removeKnownDevice(code)
            }
            return result
        }.get()
        service.limiter.networks.release(counter.networks, at: now)
        return value
    }

    /// Remembers the device that signed in.
    ///
    /// - Returns: The device, and its token if it was not known before; nil if no devices are remembered.
    func rememberDevice(
        of account: AccountID, at now: PointInTime, in transaction: AccountTransaction
    ) throws -> (hash: TokenHash, token: String?)? {
        let limit = service.rules.guessing.maximumKnownDevices
        guard limit > 0 else { return nil }
        // The session of the device may have ended during the verification.
        let known = try counter.device.flatMap { try transaction.knownDevice($0.hash) }
        let token = SecretToken(.device, random: service.random)
        let hash = known?.hash ?? token.hash
        try transaction.put(
            KnownDevice(hash: hash, account: account, last: now, isConfirmed: known != nil),
            keeping: limit)
        return (hash: hash, token: known == nil ? token.text : nil)
    }

    /// Releases the attempt: nothing was verified.
    func release(at now: PointInTime) throws {
        service.limiter.networks.release(counter.networks, at: now)
        let reservation = state.withLock { $0.reservation }
        if let reservation { try service.release(reservation, at: now) }
    }
}

extension AccountService {
    /// The counters of a sign-in. A known device has a separate counter. Any other sign-in first counts against its networks, even a refused one.
    ///
    /// - Throws: `tooManyAttempts` from a network that has to wait, before any query about the name; an error of the database.
    func counter(
        of name: EmailAddress, device: String?, from networks: [String], at now: PointInTime
    ) throws -> WrongPasswordLimiter.Counter {
        if let (known, isCode) = try knownDevice(device, of: name, at: now) {
            return limiter.separateCounter(
                limiter.pseudonyms.key(of: known.hash), known, isCode: isCode)
        }
        let waiting = limiter.networks.attempt(networks, at: now)
        guard waiting == .zero else { throw AccountError.tooManyAttempts(retryAfter: waiting) }
        return limiter.counter(of: name, from: networks)
    }

    /// The device of a token if it signed in to this account before, or if the token is the code by which its owner has just set a new password.
    /// Only a holder of such a token causes a query about the name.
    private func knownDevice(
        _ token: String?, of name: EmailAddress, at now: PointInTime
    ) throws -> (device: KnownDevice, isCode: Bool)? {
        guard let token = token.flatMap({ SecretToken($0) }),
            [.device, .reset].contains(token.kind)
        else { return nil }
        let isCode = token.kind == .reset
        let lifetime = isCode ? rules.resetLifetime : rules.guessing.knownDeviceLifetime
        return try repository.read { transaction in
            guard let device = try transaction.knownDevice(token.hash),
                device.last.advanced(by: lifetime) > now,
                try transaction.account(name)?.id == device.account
            else { return nil }
            return (device, isCode)
        }
    }
}
