import Database
import Platform
import Tasks
import Testing
import TestSupport

@Suite("A file of tasks")
struct TaskFileTests {
    @Test("has mode 0600, and leaves nothing beside it when it is closed")
    func create() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            #expect(try TaskRepository.open(.file(path)) == nil)
            #expect(try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly)) == nil)
            #expect(TestFile.names(in: folder) == [])
            let repository = try TaskRepository.openOrCreate(.file(path))
            try repository.insert([TaskSamples.plain(1)])
            #expect(
                TestFile.names(in: folder) == ["tasks.db", "tasks.db-shm", "tasks.db-wal"])
            for name in TestFile.names(in: folder) {
                #expect(TestFile.mode(folder + "/" + name) == 0o600)
            }
            let other = try TaskRepository.openOrCreate(.file(path))
            repository.close()
            #expect(try other.task(TaskSamples.id(1)) == TaskSamples.plain(1))
            other.close()
            #expect(TestFile.names(in: folder) == ["tasks.db"])
        }
    }

    @Test("is not changed by reading")
    func reading() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let writer = try TaskRepository.openOrCreate(.file(path))
            try writer.insert([TaskSamples.plain(1, completion: .init(time: TaskSamples.time(1)))])
            writer.close()
            let before = try TestFile.read(path)
            for mode in [.readWrite, .readOnly] as [StorageMode] {
                let repository = try #require(
                    try TaskRepository.open(.file(path), DatabaseOptions(mode: mode)))
                let prefix = try #require(TaskIDPrefix("0"))
                #expect(try repository.ids(startingWith: prefix, limit: 9) == [TaskSamples.id(1)])
                #expect(try repository.everything().count == 1)
                #expect(try repository.count(TaskFilter(.done)) == 1)
                #expect(try repository.completions(from: TaskSamples.time(0)).count == 1)
                #expect(try repository.intents() == [])
                #expect((TestFile.size(path + "-wal") ?? 0) == 0, "\(mode)")
                repository.close()
                #expect(try TestFile.read(path) == before)
            }
        }
    }

    @Test("opened for reading refuses changes")
    func readOnly() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let writer = try TaskRepository.openOrCreate(.file(path))
            defer { writer.close() }
            try writer.insert([TaskSamples.plain(1)])
            let reader = try #require(
                try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly)))
            defer { reader.close() }
            #expect(throws: DatabaseError.readOnly) {
                try reader.insert([TaskSamples.plain(2)])
            }
            #expect(throws: DatabaseError.readOnly) { try reader.eraseOldBytes() }
            #expect(try reader.everything().count == 1)
        }
    }

    @Test("with another writer is busy after the timeout, and can be read")
    func busy() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let first = try TaskRepository.openOrCreate(.file(path))
            let second = try #require(
                try TaskRepository.open(
                    .file(path), DatabaseOptions(lockTimeout: .milliseconds(20))))
            defer {
                first.close()
                second.close()
            }
            try first.change { writer in
                try writer.insert(TaskSamples.plain(1))
                #expect(throws: DatabaseError.busy) {
                    try second.insert([TaskSamples.plain(2)])
                }
                #expect(try second.everything() == [])
            }
            try second.insert([TaskSamples.plain(2)])
            #expect(try first.everything().count == 2)
        }
    }

    @Test("can be made by several tasks at once, without a loss")
    func createAtOnce() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask { @concurrent in
                        let repository = try TaskRepository.openOrCreate(.file(path))
                        try repository.insert([TaskSamples.plain(number)])
                        repository.close()
                    }
                }
                try await group.waitForAll()
            }
            let repository = try #require(
                try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly)))
            #expect(try repository.count(TaskFilter()) == 8)
            repository.close()
            #expect(TestFile.names(in: folder) == ["tasks.db"])
        }
    }

    @Test("is complete as soon as it appears")
    func appears() async throws {
        try await withTemporaryFolder { folder in
            for round in 0..<20 {
                let path = folder + "/\(round).db"
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { @concurrent in
                        try TaskRepository.openOrCreate(.file(path)).close()
                    }
                    group.addTask { @concurrent in
                        while true {
                            if let found = try TaskRepository.open(
                                .file(path), DatabaseOptions(mode: .readOnly))
                            {
                                return found.close()
                            }
                            await Task.yield()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("loses nothing if several processes make it and write it at once", .endsProcess)
    func processes() async throws {
        try await withTemporaryFolder { folder in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask { await Self.countUp(in: folder, number) }
                }
            }
            let path = folder + "/tasks.db"
            let repository = try #require(
                try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly)))
            defer { repository.close() }
            #expect(try repository.task(TaskSamples.id(0))?.due == .moment(TaskSamples.time(60)))
            #expect(try repository.count(TaskFilter()) == 61)
        }
    }

    /// A process that adds 20 tasks and counts each of them in one that all processes share.
    private static func countUp(in folder: String, _ number: Int) async {
        await #expect(processExitsWith: .success) {
            [folder = folder as String, number = number as Int] in
            // As long as all others need on a slow machine.
            let repository = try TaskRepository.openOrCreate(
                .file(folder + "/tasks.db"), DatabaseOptions(lockTimeout: .seconds(60)))
            for round in 0..<20 {
                try repository.change { writer in
                    let count = TaskSamples.id(0)
                    if try writer.task(count) == nil {
                        try writer.insert(TaskSamples.plain(0, due: TaskSamples.time(0)))
                    }
                    var shared = try #require(try writer.task(count))
                    shared.due = shared.due?.moment.map {
                        .moment($0.advanced(by: .milliseconds(1)))
                    }
                    try writer.replace(shared)
                    try writer.insert(TaskSamples.plain(number * 100 + round))
                }
            }
            repository.close()
        }
    }

    @Test(
        "that was replaced is the new one at the next write; a removed one is not made again"
    )
    func replaced() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try TaskRepository.openOrCreate(.file(path))
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1)])
            #expect(try repository.eraseOldBytes() == true)
            let other = try TaskRepository.openOrCreate(.file(folder + "/other.db"))
            try other.insert([TaskSamples.plain(2)])
            other.close()
            try #require(unsafe rename(folder + "/other.db", path) == 0)
            try repository.insert([TaskSamples.plain(3)])
            #expect(try repository.tasks(TaskSelection()).map(\.id) == [2, 3].map(TaskSamples.id))
            try #require(unsafe unlink(path) == 0)
            #expect(taskError { try repository.insert([TaskSamples.plain(4)]) } != nil)
            #expect(!TestFile.exists(path))
        }
    }

    @Test("keeps exactly the committed changes when its process is killed", .endsProcess)
    func killed() async throws {
        try await withTemporaryFolder { folder in
            await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
                let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
                try repository.insert([TaskSamples.plain(1, "kept", TaskSamples.subtasks("x"))])
                try repository.change { writer in
                    try writer.insert(TaskSamples.plain(2, "lost"))
                    try writer.remove(TaskSamples.id(1), expecting: nil)
                    kill(getpid(), SIGKILL)
                }
            }
            #expect(TestFile.exists(folder + "/tasks.db-wal"), "the process cleaned up")
            let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
            #expect(
                try repository.everything()
                    == [ExactTask(TaskSamples.plain(1, "kept", TaskSamples.subtasks("x")))])
            repository.close()
            #expect(TestFile.names(in: folder) == ["tasks.db"])
        }
    }

    @Test("on a full disk stays as before, and tasks can be removed", .endsProcess)
    func full() async throws {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { folder in
                let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
                try repository.insert([TaskSamples.plain(1), TaskSamples.plain(2)])
                // A limit on the size of files makes write(2) fail.
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit()
                unsafe getrlimit(fileSizeLimit, &limit)
                var small = rlimit(rlim_cur: 120_000, rlim_max: limit.rlim_max)
                unsafe setrlimit(fileSizeLimit, &small)
                let large = TaskSamples.plain(3, notes: String(repeating: "n", count: 200_000))
                #expect(throws: DatabaseError.self) { try repository.insert([large]) }
                // A function that keeps the failure to itself does not get half of its work committed.
                #expect(throws: DatabaseError.self) {
                    try repository.change { writer in
                        try writer.insert(TaskSamples.plain(4))
                        try? writer.insert(large)
                        try? writer.insert(TaskSamples.plain(5))
                    }
                }
                #expect(try repository.everything().count == 2)
                unsafe setrlimit(fileSizeLimit, &limit)
                try repository.change { try $0.remove(TaskSamples.id(1), expecting: 1) }
                try repository.insert([large])
                #expect(try repository.count(TaskFilter()) == 2)
                repository.close()
                #expect(TestFile.names(in: folder) == ["tasks.db"])
            }
        }
    }
}

#if os(Linux)
    private var fileSizeLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_FSIZE.rawValue) }
#else
    private var fileSizeLimit: Int32 { RLIMIT_FSIZE }
#endif
