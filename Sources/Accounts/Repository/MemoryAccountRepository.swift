internal import Synchronization

/// Accounts in memory, gone with the object: for tests, and for a server that may forget. Thread-safe.
///
/// Everyone waits while a transaction runs. Who calls the repository from inside ``change(_:)``, and not the writer, waits for ever.
public final class MemoryAccountRepository: AccountRepository {
    /// Nil once it is closed.
    private let stored = Mutex<MemoryAccounts?>(MemoryAccounts())

    /// Makes a repository without accounts.
    public init() {}

    /// Runs `body` on the tables themselves, and takes its changes back if it throws.
    public func change<Result, Failure: Error>(
        _ body: (any AccountWriter) throws(Failure) -> Result
    ) throws(AccountRepositoryFailure<Failure>) -> Result {
        // `Mutex` wants results that can be sent anywhere, which those of a caller's function need not be: here they stay on its thread.
        var result: Result?
        try stored.withLock { (stored) throws(AccountRepositoryFailure<Failure>) in
            // Moved, not copied: otherwise the first change of a table would copy all of it.
            guard let accounts = stored.take() else { throw .repository(.closed) }
            let writer = MemoryAccountWriter(accounts)
            _ = consume accounts
            do throws(Failure) {
                result = try body(writer)
            } catch {
                stored = writer.end(committing: false)
                throw .body(error)
            }
            stored = writer.end(committing: true)
        }
        guard let result else { preconditionFailure("the body returned without a value") }
        return result
    }

    /// Fails only once it is closed.
    public func check() throws(AccountRepositoryError) {
        try read { _ in }
    }

    /// Forgets the accounts.
    public func close() {
        stored.withLock { $0 = nil }
    }

    private func read<Value: Sendable>(
        _ body: (MemoryAccounts) -> Value
    ) throws(AccountRepositoryError) -> Value {
        try stored.withLock { (stored) throws(AccountRepositoryError) in
            guard let stored else { throw .closed }
            return body(stored)
        }
    }
}

extension MemoryAccountRepository {
    /// Reads an account; see ``AccountReader/account(_:)-(AccountID)``.
    public func account(_ id: AccountID) throws(AccountRepositoryError) -> Account? {
        try read { $0.accounts[id] }
    }

    /// Reads an account; see ``AccountReader/account(_:)-(EmailAddress)``.
    public func account(_ email: EmailAddress) throws(AccountRepositoryError) -> Account? {
        try read { $0.account(email) }
    }

    /// Lists accounts; see ``AccountReader/accounts(after:limit:)``.
    public func accounts(
        after email: EmailAddress?, limit: Int
    ) throws(AccountRepositoryError) -> [Account] {
        try read { $0.accounts(after: email, limit: limit) }
    }

    /// Reads a token; see ``AccountReader/accessToken(_:)``.
    public func accessToken(_ hash: TokenHash) throws(AccountRepositoryError) -> FoundAccessToken? {
        try read { $0.accessToken(hash) }
    }

    /// Reads a token; see ``AccountReader/refreshToken(_:)``.
    public func refreshToken(_ hash: TokenHash) throws(AccountRepositoryError) -> RefreshToken? {
        try read { $0.refreshTokens[hash] }
    }

    /// Reads a session; see ``AccountReader/session(_:)``.
    public func session(_ id: SessionID) throws(AccountRepositoryError) -> SignInSession? {
        try read { $0.sessions[id] }
    }

    /// Lists sessions; see ``AccountReader/sessions(of:)``.
    public func sessions(of account: AccountID) throws(AccountRepositoryError) -> [SignInSession] {
        try read { $0.sessions(of: account) }
    }

    /// Reads an invitation; see ``AccountReader/invitation(_:)``.
    public func invitation(_ code: TokenHash) throws(AccountRepositoryError) -> Invitation? {
        try read { $0.invitations[code] }
    }

    /// Lists invitations; see ``AccountReader/invitations()``.
    public func invitations() throws(AccountRepositoryError) -> [Invitation] {
        try read { $0.allInvitations() }
    }

    /// Reads attempts; see ``AccountReader/attempts(_:)``.
    public func attempts(_ key: AttemptKey) throws(AccountRepositoryError) -> AttemptRecord? {
        try read { $0.attempts[key] }
    }

    /// Lists places; see ``AccountReader/knownPlaces(of:)``.
    public func knownPlaces(of account: AccountID) throws(AccountRepositoryError) -> [KnownPlace] {
        try read { $0.knownPlaces(of: account) }
    }
}
