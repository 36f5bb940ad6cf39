import Accounts
import Testing

/// A repository under test.
struct AccountRepositoryUnderTest: Sendable {
    /// Fresh, and without accounts.
    let repository: any AccountRepository
    /// Opens the same database again, as another process would; the repository itself if it is in memory.
    let openAgain: @Sendable () throws -> any AccountRepository
    /// A large number of keys: as many as an auth server remembers, or fewer if each costs a message.
    let manyKeys: Int

    /// Describes a repository. The caller closes it; the rules close the databases that they opened again.
    init(
        _ repository: any AccountRepository, manyKeys: Int = 100_000,
        openAgain: (@Sendable () throws -> any AccountRepository)? = nil
    ) {
        self.repository = repository
        self.manyKeys = manyKeys
        self.openAgain = openAgain ?? { repository }
    }

    func close(_ other: any AccountRepository) {
        if other as AnyObject !== repository as AnyObject { other.close() }
    }
}

/// The rules for every ``AccountRepository``. Each rule gets a new, empty repository.
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
        + deviceRules + auditRules + inboxRules + checklistRules
        + purgeRules + transactionRules + errorRules + concurrencyRules
}
