package import Tasks
internal import Testing

/// A repository under test.
package struct TaskRepositoryUnderTest: Sendable {
    /// Fresh, and without tasks.
    package let repository: TaskRepository
    /// Opens the same database once more, as another process would; gives the repository itself where there is no other way to it.
    package let openAgain: @Sendable () throws -> TaskRepository

    /// Describes a repository. The caller closes it; the rules close the ones that they open.
    package init(
        _ repository: TaskRepository,
        openAgain: (@Sendable () throws -> TaskRepository)? = nil
    ) {
        self.repository = repository
        self.openAgain = openAgain ?? { repository }
    }
}

/// What every implementation of ``TaskRepository`` must do. Each rule gets a fresh, empty repository.
///
/// A test runs all of them by `@Test(arguments: TaskRepositoryContract.rules)`.
package struct TaskRepositoryContract: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let check: @Sendable (TaskRepositoryUnderTest) async throws -> Void

    init(
        _ sentence: String,
        _ check: @escaping @Sendable (TaskRepositoryUnderTest) async throws -> Void
    ) {
        testDescription = sentence
        self.check = check
    }

    package static let rules: [TaskRepositoryContract] =
        taskRules + textRules + listRules + completionRules + clearingRules + intentRules
        + transactionRules
}
