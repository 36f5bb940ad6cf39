package import Accounts
internal import Testing

/// The rules of the account service, over any database. Each rule gets new, empty accounts, and the failures of their transactions.
///
/// A test runs all of them with `@Test(arguments: AccountServiceContract.rules)`.
package struct AccountServiceContract: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let check: @Sendable (AccountRepository, WriteFailures) async throws -> Void

    init(
        _ sentence: String,
        _ check: @escaping @Sendable (AccountRepository) async throws -> Void
    ) {
        self.init(sentence) { repository, _ in try await check(repository) }
    }

    init(
        _ sentence: String,
        _ check: @escaping @Sendable (AccountRepository, WriteFailures) async throws -> Void
    ) {
        testDescription = sentence
        self.check = check
    }

    package static let rules: [AccountServiceContract] =
        signInRules + hashRules + dummyRules + rotationRules + tokenRules + creationRules
        + ownAccountRules
        + operatorRules + nameRules + deviceRules + networkRules + attackRules + busyRules
        + boundRules + secondFactorRules + passkeyRules
}
