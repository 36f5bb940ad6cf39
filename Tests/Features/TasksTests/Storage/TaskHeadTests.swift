import Database
import Foundation
import Platform
import Synchronization
@testable import Tasks
import Testing
import TestSupport

/// A record in memory, and a rule that a test may change.
final class SeenInMemory: SeenTaskHead {
    private let state: Mutex<(head: TaskHead?, rule: SeenTaskRule, isDeaf: Bool)>

    init(_ rule: SeenTaskRule = .requiring, _ head: TaskHead? = nil) {
        state = Mutex((head, rule, false))
    }

    var head: TaskHead? { state.withLock { $0.head } }
    var rule: SeenTaskRule {
        get { state.withLock { $0.rule } }
        set { state.withLock { $0.rule = newValue } }
    }
    /// Whether records are lost, as by a kill between a commit and its record.
    var isDeaf: Bool {
        get { state.withLock { $0.isDeaf } }
        set { state.withLock { $0.isDeaf = newValue } }
    }

    func read() throws -> TaskHead? { head }

    func raise(to head: TaskHead) {
        state.withLock { state in
            if !state.isDeaf, head.number > state.head?.number ?? 0 { state.head = head }
        }
    }

    func replace(with head: TaskHead) { state.withLock { $0.head = head } }
}

/// A list that knows its newest change, and a machine that knows it, too.
@Suite("The head of a list")
struct TaskHeadTests {
    private func open(_ path: String, _ seen: SeenInMemory) throws -> TaskRepository {
        try TaskRepository.openOrCreate(.file(path), after: seen)
    }

    /// Adds the tasks in one change each.
    private func add(_ numbers: Int..., to path: String, _ seen: SeenInMemory) throws {
        let repository = try open(path, seen)
        defer { repository.close() }
        for number in numbers { try repository.insert([TaskSamples.plain(number)]) }
    }

    private func copy(_ path: String, to target: String) throws {
        try TestFile.write(TestFile.read(path), to: target)
        _ = unsafe chmod(target, 0o600)
    }

    private func expectRefused(
        _ path: String, _ seen: SeenInMemory, _ error: TaskListError,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: sourceLocation) { try open(path, seen).close() }
        for mode in [StorageMode.readWrite, .readOnly] {
            #expect(throws: error, sourceLocation: sourceLocation) {
                try TaskRepository.open(.file(path), DatabaseOptions(mode: mode), after: seen)?
                    .close()
            }
        }
    }

    @Test("counts each transaction with a change, and no other")
    func counting() throws {
        let seen = SeenInMemory()
        let repository = try TaskRepository.openOrCreate(.memory, after: seen)
        defer { repository.close() }
        #expect(seen.head == nil)
        try repository.change { _ in }
        #expect(try repository.change { try $0.task(TaskSamples.id(1)) } == nil)
        #expect(seen.head == nil)
        try repository.insert([TaskSamples.plain(1), TaskSamples.plain(2)])
        let first = try #require(seen.head)
        #expect(first.number == 1 && first.mark > 0)
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try repository.change { writer in
                try writer.remove(TaskSamples.id(1), expecting: nil)
                throw Refused()
            }
        }
        #expect(
            try repository.change {
                try $0.clear(keptBefore: TaskSamples.time(0), at: TaskSamples.time(1))
            } == 0)
        #expect(seen.head == first)
        try repository.change { try $0.remove(TaskSamples.id(1), expecting: nil) }
        #expect(seen.head?.number == 2 && seen.head?.mark != first.mark)
    }

    @Test("of an older copy is refused, and accepted by the owner's word")
    func older() throws {
        try withTemporaryFolder { folder in
            let (path, old) = (folder + "/tasks.db", folder + "/old.db")
            let seen = SeenInMemory()
            try add(1, 2, to: path, seen)
            try copy(path, to: old)
            try add(3, to: path, seen)
            try copy(old, to: path)
            let before = try TestFile.read(path)
            expectRefused(path, seen, .rolledBack(found: 2, seen: 3))
            #expect(try TestFile.read(path) == before)
            seen.rule = .accepting
            try open(path, seen).close()
            seen.rule = .requiring
            #expect(seen.head?.number == 2)
            // What was given up is refused now.
            try add(4, to: path, seen)
            try copy(path, to: old)
            try add(5, to: path, seen)
            try copy(old, to: path)
            expectRefused(path, seen, .rolledBack(found: 3, seen: 4))
            #expect(throws: Never.self) { try open(path, SeenInMemory()).close() }
        }
    }

    @Test("of an older copy that was changed since is refused, whatever its number")
    func forked() throws {
        try withTemporaryFolder { folder in
            let (path, other) = (folder + "/tasks.db", folder + "/other.db")
            let (here, there) = (SeenInMemory(), SeenInMemory())
            try add(1, to: path, here)
            try copy(path, to: other)
            try add(2, to: path, here)
            for number in 3..<6 {
                try add(number, to: other, there)
                try copy(other, to: path)
                expectRefused(path, here, .forked(seen: 2))
            }
            // One that goes on from here is taken, and what it has is known.
            here.rule = .accepting
            try open(path, here).close()
            here.rule = .requiring
            try add(6, to: path, here)
            try copy(path, to: other)
            try add(7, 8, to: other, there)
            try copy(other, to: path)
            try open(path, here).close()
            #expect(here.head == there.head)
        }
    }

    @Test(
        "whose log is lost, cut or replaced is refused",
        arguments: ["removed", "emptied", "cut", "random"])
    func log(change: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let left = folder + "/left"
            try SafeFolder.create(left)
            let seen = SeenInMemory()
            try add(1, to: path, seen)
            // Its files while it is open, as a kill would leave them.
            let repository = try open(path, seen)
            try repository.insert([TaskSamples.plain(2)])
            try repository.insert([TaskSamples.plain(3)])
            for suffix in ["", "-wal"] {
                try copy(path + suffix, to: left + "/tasks.db" + suffix)
            }
            repository.close()
            let log = left + "/tasks.db-wal"
            let bytes = try TestFile.read(log)
            switch change {
            case "removed": unsafe unlink(log)
            case "emptied": try TestFile.write([], to: log)
            case "cut": try TestFile.write(Array(bytes.dropLast(1)), to: log)
            default:
                try TestFile.write(bytes.map { _ in .random(in: 0...255) }, to: log)
            }
            _ = unsafe chmod(log, 0o600)
            let found: Int64 = change == "cut" ? 2 : 1
            expectRefused(
                left + "/tasks.db", seen, .rolledBack(found: found, seen: 3))
        }
    }

    @Test("is good with the log that a killed process left")
    func wholeLog() throws {
        try withTemporaryFolder { folder in
            let (path, left) = (folder + "/tasks.db", folder + "/left.db")
            let seen = SeenInMemory()
            let repository = try open(path, seen)
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1)])
            for suffix in ["", "-wal"] { try copy(path + suffix, to: left + suffix) }
            let other = try open(left, seen)
            defer { other.close() }
            #expect(try other.everything().count == 1)
        }
    }

    @Test("may be ahead of the record: a kill came between")
    func ahead() throws {
        try withTemporaryFolder { folder in
            let (path, old) = (folder + "/tasks.db", folder + "/old.db")
            let seen = SeenInMemory()
            try add(1, to: path, seen)
            seen.isDeaf = true
            try add(2, to: path, seen)
            #expect(seen.head?.number == 1)
            try copy(path, to: old)
            seen.isDeaf = false
            // The next opening takes it, and records it.
            try open(path, seen).close()
            #expect(seen.head?.number == 2)
            try add(3, to: path, seen)
            try copy(old, to: path)
            expectRefused(path, seen, .rolledBack(found: 2, seen: 3))
        }
    }

    @Test("of a file that is gone is not begun anew")
    func missing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let seen = SeenInMemory()
            try add(1, to: path, seen)
            unsafe unlink(path)
            #expect(throws: TaskListError.rolledBack(found: 0, seen: 1)) {
                try open(path, seen).close()
            }
            #expect(TestFile.names(in: folder) == [])
            seen.rule = .accepting
            try open(path, seen).close()
            seen.rule = .requiring
            try add(2, to: path, seen)
            #expect(seen.head?.number == 1)
        }
    }

    @Test("is looked at by each change: a file that was put back meanwhile is not changed")
    func replacedWhileOpen() throws {
        try withTemporaryFolder { folder in
            let (path, old) = (folder + "/tasks.db", folder + "/old.db")
            let seen = SeenInMemory()
            try add(1, to: path, seen)
            try copy(path, to: old)
            let repository = try open(path, seen)
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(2)])
            let before = try TestFile.read(old)
            for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
            try FileSystem.rename(old, to: path)
            #expect(throws: TaskListError.rolledBack(found: 1, seen: 2)) {
                try repository.insert([TaskSamples.plain(3)])
            }
            #expect(try TestFile.read(path) == before)
        }
    }

    @Test("is right with many writers at once, whoever records first")
    func together() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let seen = SeenInMemory()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask { @concurrent in
                        for number in 0..<10 { try add(10 * writer + number, to: path, seen) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(seen.head?.number == 40)
            try add(40, to: path, seen)
            #expect(seen.head?.number == 41)
        }
    }

    @Test("of content that the owner replaces counts from then on")
    func replacing() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let backup = try TaskRepository.inMemory()
            try backup.insert([TaskSamples.plain(1)])
            let copy = try TaskCopy(of: backup)
            let seen = SeenInMemory(.requiring, TaskHead(number: 7, mark: 7))
            seen.rule = .replacing
            let repository = try open(path, seen)
            #expect(seen.head?.number == 7, "not before it is done")
            _ = try copy.replaceAll(in: repository, texts: { [] }, now: TaskSamples.time(0))
            repository.close()
            seen.rule = .requiring
            try add(2, to: path, seen)
            #expect(seen.head?.number == 2)
            // Nothing in the place of nothing is a change of the record, too.
            let empty = try TaskCopy(of: TaskRepository.inMemory())
            let none = SeenInMemory(.replacing, TaskHead(number: 7, mark: 7))
            let other = try open(folder + "/other.db", none)
            defer { other.close() }
            _ = try empty.replaceAll(in: other, texts: { [] }, now: TaskSamples.time(0))
            #expect(none.head == TaskHead(number: 0, mark: 0))
        }
    }

    @Test("shows 10,000 changes back, and no more")
    func forgotten() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let seen = SeenInMemory()
            try add(1, to: path, seen)
            let first = try #require(seen.head)
            let database = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try database.run(
                script: """
                    WITH RECURSIVE n (number) AS (
                        SELECT 2 UNION ALL SELECT number + 1 FROM n WHERE number < 10999)
                    INSERT INTO commits SELECT number, number FROM n
                    """)
            database.close()
            let early = SeenInMemory(.requiring, first)
            try add(2, to: path, early)
            #expect(early.head?.number == 11_000)
            let late = SeenInMemory(.requiring, TaskHead(number: 1_001, mark: 1_001))
            try open(path, late).close()
            #expect(late.head == early.head)
            expectRefused(path, SeenInMemory(.requiring, first), .forked(seen: 1))
        }
    }

    @Test(
        "that no change can have is damage",
        arguments: ["number = 9223372036854775807", "number = -1"])
    func damaged(change: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try add(1, to: path, SeenInMemory())
            let database = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try database.run(script: "UPDATE commits SET \(change)")
            database.close()
            let error = taskError { try add(2, to: path, SeenInMemory()) }
            #expect(error == .damaged(reason: "the number of a change is out of range"))
        }
    }

    @Test("is made for a list of the version before, which keeps its tasks")
    func migration() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try HostileTaskFile.make(
                at: path, script: HostileTaskFile.schemaBeforeHeads + HostileTaskFile.row)
            let seen = SeenInMemory()
            let repository = try open(path, seen)
            defer { repository.close() }
            #expect(try repository.everything() == [ExactTask(TaskSamples.plain(1))])
            #expect(seen.head == nil)
            try repository.insert([TaskSamples.plain(2)])
            #expect(seen.head?.number == 1)
        }
    }
}
