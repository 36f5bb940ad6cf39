import Tasks
import Testing
import TestSupport

@Suite("The tasks in memory")
struct MemoryTaskRepositoryTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await rule.check(TaskRepositoryUnderTest(MemoryTaskRepository()))
    }
}
