import Tasks
import Testing
import TestSupport
import VaultStorage

@Suite("The tasks in a file")
struct SQLiteContractTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try SQLiteTaskRepository.openOrCreate(at: path)
            defer { repository.close() }
            try await rule.check(
                TaskRepositoryUnderTest(repository) {
                    try #require(try SQLiteTaskRepository.open(at: path, mode: .readWrite))
                })
        }
    }
}
