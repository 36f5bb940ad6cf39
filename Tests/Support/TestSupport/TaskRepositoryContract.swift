package import Tasks
internal import Testing

/// A repository under test.
package struct TaskRepositoryUnderTest: Sendable {
    /// A new repository without tasks.
    package let repository: TaskRepository
    /// Opens the same database again, as another process would; returns the repository itself if that is impossible.
    package let openAgain: @Sendable () throws -> TaskRepository

    /// Describes a repository. The caller closes it; the rules close those that they open.
    package init(
        _ repository: TaskRepository,
        openAgain: (@Sendable () throws -> TaskRepository)? = nil
    ) {
        self.repository = repository
        self.openAgain = openAgain ?? { repository }
    }
}

/// The rules for every implementation of ``TaskRepository``. Each rule gets a new, empty repository.
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
        + transactionRules + undoRules + undoEdgeRules + reminderRules + repeatRules
}
