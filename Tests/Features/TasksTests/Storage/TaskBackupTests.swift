import Database
import Platform
@testable import Tasks
import Testing
import TestSupport
import TextCoding

/// A list that is copied into a file, and put in the place of another.
@Suite("A backup of the tasks")
struct TaskBackupTests {
    private let now = PointInTime(seconds: 1_800_000_000)

    private func task(_ id: String, _ name: String) throws -> TodoTask {
        TodoTask(
            id: try #require(TaskID(id)),
            content: .plain(
                TaskText(
                    name: name, subtasks: [TodoSubtask(id: TaskID(), name: "part of " + name)])),
            created: now)
    }

    private func protected(_ id: String, _ text: String) throws -> TodoTask {
        TodoTask(
            id: try #require(TaskID(id)), content: .protected(try #require(ProtectedTextID(text))),
            created: now)
    }

    private func names(_ repository: TaskRepository) throws -> [String: UInt64] {
        let tasks = try repository.tasks(TaskSelection(TaskFilter(.openOrDone)))
        return Dictionary(
            uniqueKeysWithValues: tasks.map {
                ($0.id.text + " " + ($0.plainText?.name ?? $0.textID?.text ?? ""), $0.revision)
            })
    }

    @Test("replaces all of another list in one step; revisions are above both")
    func replacing() throws {
        let backup = try TaskRepository.inMemory()
        try backup.change { writer in
            try writer.insert(try task("aaaaaa", "kept"))
            try writer.insert(try task("bbbbbb", "removed since"))
            try writer.insert(try protected("cccccc", "cccccc.00000000"))
            try writer.countCompletion(of: TaskID(), at: now)
            try writer.put(
                VaultIntent(.saving, try #require(ProtectedTextID("dddddd.00000000")), at: now))
            try writer.put(
                VaultIntent(.erasing, try #require(ProtectedTextID("eeeeee.00000000")), at: now))
        }
        let current = try TaskRepository.inMemory()
        try current.change { writer in
            var kept = try task("aaaaaa", "changed since")
            try writer.insert(kept)
            for _ in 0..<4 { kept = try writer.replace(kept.withRevision(kept.revision)) }
            try writer.insert(try task("ffffff", "added since"))
            try writer.put(
                VaultIntent(.erasing, try #require(ProtectedTextID("gggggg.00000000")), at: now))
            try writer.put(
                VaultIntent(.discarding, try #require(ProtectedTextID("hhhhhh.00000000")), at: now)
            )
        }
        let copy = try TaskCopy(of: backup)
        struct Refused: Error {}
        let before = try names(current)
        #expect(throws: Refused.self) {
            try copy.replaceAll(in: current, texts: { throw Refused() }, now: now)
        }
        #expect(try names(current) == before)

        let texts = ["cccccc.00000000", "dddddd.00000000", "jjjjjj.00000000"]
        let replaced = try copy.replaceAll(
            in: current, texts: { texts.compactMap { ProtectedTextID($0) } }, now: now)
        #expect(replaced.count == 3 && replaced.unprotected == 0)
        #expect(
            try names(current) == [
                "aaaaaa kept": 6, "bbbbbb removed since": 1, "cccccc cccccc.00000000": 1,
            ])
        #expect(try current.completions(from: PointInTime(milliseconds: .min)) == [now])
        let subtasks = try current.task(#require(TaskID("bbbbbb")))?.plainText?.subtasks
        #expect(subtasks?.map(\.name) == ["part of removed since"])
        // What is being erased stays, and text that no task needs is to be removed.
        #expect(
            try current.intents().map { "\($0.kind) \($0.textID.text)" } == [
                "saving dddddd.00000000", "erasing gggggg.00000000",
                "discarding jjjjjj.00000000",
            ])
    }

    @Test("counts the tasks that were protected since")
    func unprotected() throws {
        let backup = try TaskRepository.inMemory()
        try backup.change { writer in
            for id in ["aaaaaa", "bbbbbb", "cccccc"] { try writer.insert(try task(id, "plain")) }
            try writer.insert(try protected("dddddd", "dddddd.00000000"))
        }
        let current = try TaskRepository.inMemory()
        try current.change { writer in
            for id in ["aaaaaa", "bbbbbb", "dddddd"] {
                try writer.insert(try protected(id, id + ".00000001"))
            }
            try writer.insert(try task("cccccc", "plain"))
        }
        let replaced = try TaskCopy(of: backup).replaceAll(in: current, texts: { [] }, now: now)
        #expect(replaced.count == 4 && replaced.unprotected == 2)
    }

    @Test("replaces a list that no program can change after it was copied")
    func held() throws {
        try withTemporaryFolder { folder in
            try replaceWhileHeld(.file(folder + "/tasks.db"), folder)
        }
    }

    @Test(
        "replaces one on a server in the same way",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func heldOnAServer() throws {
        try withTemporaryFolder { folder in
            try withPostgreSQLDatabase { address in
                try replaceWhileHeld(.server(PostgreSQLAddress(address)), folder)
            }
        }
    }

    private func replaceWhileHeld(_ place: DatabasePlace, _ folder: String) throws {
        let current = try TaskRepository.openOrCreate(place)
        defer { current.close() }
        try current.change { try $0.insert(try task("aaaaaa", "acknowledged")) }
        let other = try TaskRepository.openOrCreate(
            place, DatabaseOptions(lockTimeout: .milliseconds(50)))
        defer { other.close() }
        let late = try task("bbbbbb", "too late")
        let backup = try TaskRepository.inMemory()
        try backup.change { try $0.insert(try task("cccccc", "of the backup")) }
        _ = try TaskCopy(of: backup).replaceAll(
            in: current,
            keeping: {
                let reader = try #require(try TaskRepository.open(place))
                defer { reader.close() }
                try reader.backup(to: folder + "/kept.db")
                #expect(throws: DatabaseError.busy) { try other.change { try $0.insert(late) } }
            }, texts: { [] }, now: now)
        let kept = try #require(
            try TaskRepository.open(
                .file(folder + "/kept.db"), DatabaseOptions(mode: .readOnly)))
        defer { kept.close() }
        #expect(try names(kept) == ["aaaaaa acknowledged": 1])
        #expect(try names(other) == ["cccccc of the backup": 1])
    }

    @Test("is a file by itself")
    func files() throws {
        try withTemporaryFolder { folder in
            let source = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
            defer { source.close() }
            try source.change { try $0.insert(try task("aaaaaa", "in a file")) }
            try source.backup(to: folder + "/copy.db")
            #expect(throws: DatabaseError.alreadyExists) {
                try source.backup(to: folder + "/copy.db")
            }
            let copy = try #require(
                try TaskRepository.open(
                    .file(folder + "/copy.db"), DatabaseOptions(mode: .readOnly)))
            defer { copy.close() }
            #expect(try names(copy) == ["aaaaaa in a file": 1])
        }
    }
}

extension TodoTask {
    fileprivate func withRevision(_ revision: UInt64) -> TodoTask {
        var task = self
        task.revision = revision
        return task
    }
}
