import Synchronization
import Tasks
import Testing
import TestSupport

@Suite("A list that may move")
struct MovableTaskRepositoryTests {
    /// Says where the list is.
    private final class Signpost: Sendable {
        private let moved = Mutex(false)

        var isCurrent: Bool { moved.withLock { !$0 } }

        func move() { moved.withLock { $0 = true } }
    }

    /// A database whose list is moved while a writer waits for its turn.
    private struct ContestedRepository: ForwardingTaskRepository {
        let base: any TaskRepository
        let signpost: Signpost

        func change<Result, Failure: Error>(
            _ body: (any TaskWriter) throws(Failure) -> Result
        ) throws(TaskRepositoryFailure<Failure>) -> Result {
            try base.change { (writer) throws(Failure) in
                signpost.move()
                return try body(writer)
            }
        }

        func eraseOldBytes() throws(TaskRepositoryError) -> Bool? { try base.eraseOldBytes() }
    }

    @Test("keeps the contract as long as it is there", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        let repository = MovableTaskRepository(MemoryTaskRepository()) { true }
        try await rule.check(TaskRepositoryUnderTest(repository))
    }

    @Test("takes nothing of whoever waited while it was moved, and can still be read")
    func waiting() throws {
        let base = MemoryTaskRepository()
        let kept = try TaskList(base) { PointInTime(seconds: 0) }.add(TaskText(name: "kept"))
        let signpost = Signpost()
        let repository = MovableTaskRepository(
            ContestedRepository(base: base, signpost: signpost)
        ) { signpost.isCurrent }
        let list = TaskList(repository) { PointInTime(seconds: 0) }
        #expect(throws: TaskListError.repository(.moved)) {
            try list.add(TaskText(name: "lost"))
        }
        #expect(throws: TaskListError.repository(.moved)) { try list.mark([kept], done: true) }
        #expect(try base.tasks(TaskQuery()) == [kept])
        #expect(try list.tasks(TaskQuery()) == [kept])
    }
}
