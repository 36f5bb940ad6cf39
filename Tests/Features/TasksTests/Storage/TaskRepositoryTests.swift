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
    func moved() throws {
        try withTemporaryFolder { folder in
            let place = DatabasePlace.file(folder + "/tasks.db")
            let base = try TaskRepository.openOrCreate(place)
            defer { base.close() }
            let kept = try TaskList(base) { PointInTime(seconds: 0) }.add(TaskText(name: "kept"))
            let signpost = Signpost()
            var options = DatabaseOptions()
            options.wrap = { ContestedDatabase(base: $0, signpost: signpost) }
            let repository = try TaskRepository.openOrCreate(place, options) { signpost.isCurrent }
            defer { repository.close() }
            let list = TaskList(repository) { PointInTime(seconds: 0) }
            #expect(throws: TaskListError.moved) { try list.add(TaskText(name: "lost")) }
            #expect(throws: TaskListError.moved) { try list.mark([kept], done: true) }
            #expect(try base.tasks(TaskSelection()) == [kept])
            #expect(try list.tasks(TaskSelection()) == [kept])
        }
    }

    @Test("read one task by one statement, without a transaction")
    func oneStatement() throws {
        try withTemporaryFolder { folder in
            let calls = Calls()
            var options = DatabaseOptions()
            options.wrap = { CountingDatabase(base: $0, calls: calls) }
            let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"), options)
            defer { repository.close() }
            let task = TaskSamples.plain(1, "a", TaskSamples.subtasks("x", "y"))
            try repository.insert([task, TaskSamples.protected(2)])
            calls.reset()
            #expect(try repository.task(task.id) == task)
            #expect(try repository.task(TaskSamples.id(2)) == TaskSamples.protected(2))
            #expect(try repository.task(TaskSamples.id(3)) == nil)
            #expect(calls.begun == 0)
            #expect(calls.read == 3)
        }
    }

    private final class Calls: Sendable {
        private let counts = Mutex((begun: 0, read: 0))

        var begun: Int { counts.withLock { $0.begun } }
        var read: Int { counts.withLock { $0.read } }

        func reset() { counts.withLock { $0 = (0, 0) } }
        func begin() { counts.withLock { $0.begun += 1 } }
        func readRows() { counts.withLock { $0.read += 1 } }
    }

    /// A database that counts its calls.
    private final class CountingDatabase: ForwardingDatabase {
        let base: any Database
        private let calls: Calls

        init(base: any Database, calls: Calls) {
            self.base = base
            self.calls = calls
        }

        func begin(_ kind: TransactionKind) throws -> Bool {
            calls.begin()
            return try base.begin(kind)
        }

        func forEachRow(
            _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
        ) throws {
            calls.readRows()
            try base.forEachRow(sql, values, read)
        }
    }

    /// Says whether the list is still there.
    private final class Signpost: Sendable {
        private let moved = Mutex(false)

        var isCurrent: Bool { moved.withLock { !$0 } }

        func move() { moved.withLock { $0 = true } }
    }

    /// A database whose list is moved while a writer waits for its turn.
    private final class ContestedDatabase: ForwardingDatabase {
        let base: any Database
        private let signpost: Signpost

        init(base: any Database, signpost: Signpost) {
            self.base = base
            self.signpost = signpost
        }

        func begin(_ kind: TransactionKind) throws -> Bool {
            defer { if kind == .writing { signpost.move() } }
            return try base.begin(kind)
        }
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
