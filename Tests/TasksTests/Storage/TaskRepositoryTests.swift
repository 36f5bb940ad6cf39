import Database
import Synchronization
import Tasks
import Testing
import TestSupport

@Suite("The tasks in a file")
struct TaskRepositoryTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try TaskRepository.openOrCreate(.file(path))
            defer { repository.close() }
            try await rule.check(
                TaskRepositoryUnderTest(repository) {
                    try #require(try TaskRepository.open(.file(path)))
                })
        }
    }

    @Test("accept no change of a program that waited while the list was moved, and can be read")
    func moved() async throws {
        try await withTemporaryFolder { folder in
            let place = DatabasePlace.file(folder + "/tasks.db")
            let base = try TaskRepository.openOrCreate(place)
            let kept = try TaskList(base) { PointInTime(seconds: 0) }.add(TaskText(name: "kept"))
            let signpost = Signpost()
            let repository = try TaskRepository.openOrCreate(place) { signpost.isCurrent }
            let list = TaskList(repository) { PointInTime(seconds: 0) }
            try list.mark([kept], done: false)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let waiting = Task.detached {
                start.finish()
                return #expect(throws: TaskListError.moved) {
                    try list.add(TaskText(name: "lost"))
                }
            }
            for await _ in started {}
            try base.change { _ in signpost.move() }
            _ = await waiting.value
            #expect(throws: TaskListError.moved) { try list.mark([kept], done: true) }
            #expect(try base.tasks(TaskQuery()) == [kept])
            #expect(try list.tasks(TaskQuery()) == [kept])
            base.close()
            repository.close()
        }
    }

    /// Says whether the list is still there.
    private final class Signpost: Sendable {
        private let moved = Mutex(false)

        var isCurrent: Bool { moved.withLock { !$0 } }

        func move() { moved.withLock { $0 = true } }
    }
}

@Suite("The tasks in memory")
struct MemoryTaskTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await rule.check(TaskRepositoryUnderTest(try .inMemory()))
    }
}

@Suite(
    "The tasks on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLContractTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await withPostgreSQLDatabase { text in
            let place = DatabasePlace.server(try PostgreSQLAddress(text))
            let options = DatabaseOptions(lockTimeout: .seconds(60))
            let repository = try TaskRepository.openOrCreate(place, options)
            defer { repository.close() }
            try await rule.check(
                TaskRepositoryUnderTest(repository) {
                    try #require(try TaskRepository.open(place, options))
                })
        }
    }
}
