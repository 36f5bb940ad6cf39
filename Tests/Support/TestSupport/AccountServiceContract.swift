package import Accounts
internal import Testing

/// The rules of the account service, over any repository. Each rule gets a new, empty repository.
///
/// A test runs all of them with `@Test(arguments: AccountServiceContract.rules)`.
package struct AccountServiceContract: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let check: @Sendable (any AccountRepository) async throws -> Void

    init(
        _ sentence: String,
        _ check: @escaping @Sendable (any AccountRepository) async throws -> Void
    ) {
        testDescription = sentence
        self.check = check
    }

    package static let rules: [AccountServiceContract] =
        signInRules + hashRules + dummyRules + rotationRules + tokenRules + creationRules
        + ownAccountRules
        + operatorRules + nameRules + deviceRules + networkRules + attackRules + busyRules
        + boundRules
}
