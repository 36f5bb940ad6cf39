import Accounts
import Testing

/// Accounts under test.
struct AccountRepositoryUnderTest: Sendable {
    /// Fresh, and without accounts.
    let repository: AccountRepository
    /// Opens the same database again, as another process would; the repository itself if it is in memory.
    let openAgain: @Sendable () throws -> AccountRepository
    /// A large number of keys: as many as an auth server remembers, or fewer if each costs a message.
    let manyKeys: Int

    /// Describes a repository. The caller closes it; the rules close the databases that they opened again.
    init(
        _ repository: AccountRepository, manyKeys: Int = 100_000,
        openAgain: (@Sendable () throws -> AccountRepository)? = nil
    ) {
        self.repository = repository
        self.manyKeys = manyKeys
        self.openAgain = openAgain ?? { repository }
    }

    func close(_ other: AccountRepository) {
        if other !== repository { other.close() }
    }
}

/// The rules for ``AccountRepository`` and its statements, over any database. Each rule gets a new, empty database.
struct AccountRepositoryContract: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: @Sendable (AccountRepositoryUnderTest) async throws -> Void

    init(
        _ sentence: String,
        _ check: @escaping @Sendable (AccountRepositoryUnderTest) async throws -> Void
    ) {
        testDescription = sentence
        self.check = check
    }

    static let rules: [AccountRepositoryContract] =
        accountRules + invitationRules + sessionRules + tokenRules + boundRules + attemptRules
        + deviceRules + secondFactorRules + auditRules + inboxRules + syncRules + checklistRules
        + purgeRules + transactionRules + errorRules + concurrencyRules
}
