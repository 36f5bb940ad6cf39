internal import Sealing
public import SecretMemory
internal import TextCoding

/// What people do with accounts: sign in, stay signed in, sign out, and what belongs to their own account. Thread-safe.
///
/// What verifies or hashes a password comes in two parts: `begin…` asks the database and is quick; the ``PasswordWork`` that it returns
/// takes the time and the memory of Argon2id, and is for another thread.
public struct AccountService: Sendable {
    let repository: any AccountRepository
    let rules: AccountRules
    let hashing: any PasswordHashing
    let random: RandomSource
    let limiter: AttemptLimiter
    let issuer: TokenIssuer
    /// What is to be taken back as soon as the database can be written.
    let unsettled = UnsettledAttempts()
    /// What is verified where there is no account.
    let decoys: Decoys

    /// Makes the service; hashes one password for that, and makes the key of decoys where the repository has none yet.
    ///
    /// - Throws: `outOfMemory`, `repository`, also if the rules ask for a cost that is not accepted.
    public init(
        repository: any AccountRepository, rules: AccountRules = AccountRules(),
        hashing: any PasswordHashing = Argon2idHashing(), random: RandomSource = .system
    ) throws(AccountServiceError) {
        self.repository = repository
        self.rules = rules
        self.hashing = hashing
        self.random = random
        limiter = AttemptLimiter(limits: rules.guessing)
        issuer = TokenIssuer(rules: rules, random: random)
        let nobodys = try Self.randomPassword(random)
        let hash = try Self.deriving { () throws(SealingError) in
            try hashing.hash(nobodys, cost: rules.passwordCost)
        }
        let key = try repository.transaction { (writer) throws(AccountRepositoryError) in
            try writer.decoyKey(orNew: DecoyKey(random: random))
        }
        decoys = Decoys(hash, key: key)
    }

    private static func randomPassword(
        _ random: RandomSource
    ) throws(AccountServiceError) -> AccountPassword {
        // ASCII, so that it is UTF-8.
        let text = Hexadecimal.text(random.bytes(count: 32))
        do {
            return try AccountPassword(
                typed: SecretBytes(copying: unsafe text.utf8Span.span.bytes))
        } catch {
            throw .outOfMemory
        }
    }

    /// Runs a derivation.
    static func deriving<Value>(
        _ body: () throws(SealingError) -> Value
    ) throws(AccountServiceError) -> Value {
        do throws(SealingError) {
            return try body()
        } catch {
            throw meaning(of: error)
        }
    }

    /// What it means here that a derivation failed.
    static func meaning(of error: SealingError) -> AccountServiceError {
        error == .outOfMemory
            ? .outOfMemory
            : .repository(.damaged(reason: "the cost of a password hash is not accepted"))
    }
}
