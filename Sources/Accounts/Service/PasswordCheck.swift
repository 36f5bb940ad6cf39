internal import Sealing
internal import Synchronization
public import TextCoding

/// The slow part of a request: it verifies or hashes a password, once. Thread-safe.
///
/// A caller that cannot run it calls ``cancel(at:)``; otherwise the attempt counts as a failure.
public final class PasswordWork<Value: Sendable>: Sendable {
    private let run: @Sendable (PointInTime) throws -> Value
    private let release: @Sendable (PointInTime) throws -> Void
    private let isTaken = Atomic(false)

    init(
        run: @escaping @Sendable (PointInTime) throws -> Value,
        release: @escaping @Sendable (PointInTime) throws -> Void
    ) {
        self.run = run
        self.release = release
    }

    /// Does the work. A second call is rejected: one attempt is one guess.
    ///
    /// - Throws: `AccountError`, or the error of the database or the derivation.
    public func finish(at now: PointInTime) throws -> Value {
        guard !isTaken.exchange(true, ordering: .relaxed) else {
            throw AccountError.rejected
        }
        do {
            return try run(now)
        } catch let refusal as AccountError {
            throw refusal
        } catch {
            // A failed derivation reveals nothing, and the database fails only after the right password. So the attempt is no guess. If it cannot
            // be released now, the next transaction does so.
            try? release(now)
            throw error
        }
    }

    /// Cancels the work. Nothing was verified, so the attempt does not count.
    ///
    /// - Throws: An error of the database if the attempt cannot be released now.
    public func cancel(at now: PointInTime) throws {
        guard !isTaken.exchange(true, ordering: .relaxed) else { return }
        try release(now)
    }
}

/// A password sent for an account, and the attempt counted for it.
///
/// Three steps: one transaction counts the attempt; the password is verified outside of a transaction; another transaction reads the account
/// again and makes the change.
final class PasswordCheck: Sendable {
    private let service: AccountService
    private let password: AccountPassword
    private let reservation: AttemptLimiter.Reservation

    /// Counts an attempt.
    ///
    /// - Throws: `tooManyAttempts`; an error of the database.
    init(
        _ service: AccountService, _ name: EmailAddress, _ password: consuming AccountPassword,
        from network: String, at now: PointInTime
    ) throws {
        let outcome = try service.transaction(at: now) { writer in
            try service.limiter.reserve(name, from: network, at: now, in: writer)
        }
        switch outcome {
        case .blocked(let waiting): throw AccountError.tooManyAttempts(retryAfter: waiting)
        case .reserved(let reservation): self.reservation = reservation
        }
        self.service = service
        self.password = password
    }

    /// Verifies the password, in the same time with and without an account; see ``AccountService/dummyHash``.
    ///
    /// - Returns: The account; it may have changed since.
    /// - Throws: `rejected` for a wrong password, an unknown name, and a disabled account; `SealingError`.
    func verify() throws -> Account {
        let hash = reservation.account?.password ?? service.dummyHash
        let matches = try service.hashing.matches(password, hash)
        guard matches, let account = reservation.account, !account.isDisabled else {
            throw AccountError.rejected
        }
        return account
    }

    /// Hashes the password at the configured cost; nil if the account's hash has that cost, or if memory is exhausted.
    func renewedHash(of account: Account) -> PasswordHash? {
        guard account.password.cost.isLower(than: service.rules.passwordCost) else { return nil }
        return try? service.hashing.hash(password, cost: service.rules.passwordCost)
    }

    /// Makes a change in a transaction, provided that the account still has the same password and is enabled. Its failures are forgotten.
    ///
    /// - Throws: `rejected`, the refusal that `body` returns, or an error of the database.
    func complete<Value>(
        _ verified: Account, at now: PointInTime,
        _ body: (Account, any AccountWriter) throws -> Result<Value, AccountError>
    ) throws -> Value {
        try service.transaction(at: now) { writer in
            guard let account = try writer.account(verified.id), !account.isDisabled,
                account.passwordChanged == verified.passwordChanged
            else { return Result<Value, AccountError>.failure(.rejected) }
            try service.limiter.succeed(reservation, of: account.id, at: now, in: writer)
            return try body(account, writer)
        }.get()
    }

    /// Releases the attempt: nothing was verified.
    func release(at now: PointInTime) throws {
        try service.release(.name(reservation), at: now)
    }
}
