import Accounts
import Testing

/// A repository under test.
struct AccountRepositoryUnderTest: Sendable {
    /// Fresh, and without accounts.
    let repository: any AccountRepository
    /// Opens the same database once more, as another process would; gives the repository itself where there is no other way to it.
    let openAgain: @Sendable () throws -> any AccountRepository
    /// How many keys of attempts are many: as many as a server remembers, or fewer where each costs a message.
    let manyKeys: Int

    /// Describes a repository; whoever made it closes it, and what the rules opened again is closed by them.
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

/// What every implementation of ``AccountRepository`` must do. Each rule gets a fresh, empty repository.
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
        + placeRules
        + purgeRules + transactionRules + concurrencyRules
}
