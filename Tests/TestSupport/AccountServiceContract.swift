package import Accounts
internal import Testing

/// What the service for accounts does, over any repository. Each rule gets a fresh, empty repository.
///
/// A test runs all of them by `@Test(arguments: AccountServiceContract.rules)`.
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
        signInRules + hashRules + decoyRules + rotationRules + tokenRules + creationRules
        + ownAccountRules
        + operatorRules + delayRules + placeRules + networkRules + attackRules + busyRules
        + boundRules
}
