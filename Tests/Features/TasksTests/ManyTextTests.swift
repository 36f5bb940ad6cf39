import Database
import SecureStorage
import Synchronization
import Tasks
import Testing
import TestSupport

@Suite("The texts of many tasks")
struct ManyTextTests {
    /// Counts the steps in which texts are saved.
    private final class CountingStore: ForwardingStore {
        let base: any SecureStore = MemorySecureStore { 0 }
        let steps = Mutex(0)

        func saveEach(
            _ next: () throws(SecureStoreError) -> NewSecret?
        ) throws(SecureStoreError) {
            steps.withLock { $0 += 1 }
            try base.saveEach(next)
        }
    }

    @Test("are saved in one step, and undone in one step")
    func oneStep() throws {
        try withTemporaryFolder { folder in
            let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
            defer { repository.close() }
            func list() -> TaskList {
                TaskList(repository, on: "machine") { PointInTime(seconds: 0) }
            }
            let vault = CountingStore()
            let tasks = try (0..<1_000).map { try list().add(TaskText(name: "task \($0)")) }
            let protected = try list().protect(tasks, in: vault).tasks
            #expect(protected.allSatisfy { $0.isProtected })
            #expect(vault.steps.withLock { $0 } == 1)
            #expect(try vault.list().count == 1_000)
            #expect(try list().undo(in: vault).restored.count == 1_000)
            #expect(try repository.count(TaskFilter(isProtected: false)) == 1_000)
            #expect(try vault.list().isEmpty)
        }
    }
}
