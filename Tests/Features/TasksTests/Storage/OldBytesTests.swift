@testable import Database
import SecureStorage
@testable import Tasks
import Testing
import TestSupport

@Suite("Text of a task that was protected")
struct OldBytesTests {
    /// Names that no two tasks share, long enough to be found by their bytes alone.
    private static func task(_ number: Int, _ generator: inout SeededGenerator) -> TodoTask {
        func text(_ kind: String, _ most: Int) -> String {
            "\(kind)-\(TaskSamples.id(number).text)-"
                + String(
                    repeating: "x",
                    count: Int.random(in: 0...most, using: &generator))
        }
        return TaskSamples.plain(
            number, text("name", 60), notes: text("notes", 400),
            TaskSamples.subtasks(
                contentsOf: (0..<Int.random(in: 0...3, using: &generator)).map {
                    text("step\($0)", 80)
                }))
    }

    /// How many tasks have their text anywhere in the files of a folder.
    private static func found(_ tasks: some Sequence<TodoTask>, in folder: String) throws -> Int {
        // Between hyphens an id is part of the text, and not the id of the row.
        let hyphen = UInt8(ascii: "-")
        var marks: Set<[UInt8]> = []
        for name in TestFile.names(in: folder) {
            let bytes = try TestFile.read(folder + "/" + name)
            var place = 0
            while let next = bytes.firstIndex(of: [hyphen], from: place) {
                place = next + 1
                if next + 7 < bytes.count, bytes[next + 7] == hyphen {
                    marks.insert(Array(bytes[place..<(next + 7)]))
                }
            }
        }
        return tasks.count { marks.contains(Array($0.id.text.utf8)) }
    }

    @Test("is not in the file or its log after the old bytes were erased", arguments: 0..<2)
    func protect(run: Int) throws {
        try withTemporaryFolder { folder in
            var generator = SeededGenerator()
            let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
            defer { repository.close() }
            // In random order and one by one, so that pages split and rows move from page to page.
            let originals = (0..<400).map { Self.task($0 * 37, &generator) }
                .shuffled(using: &generator)
            for chunk in originals.indices where chunk % 20 == 0 {
                try repository.insert(Array(originals[chunk..<chunk + 20]))
            }
            // Each list is a command of its own.
            func list() -> TaskList {
                TaskList(repository, on: "machine") { PointInTime(seconds: 0) }
            }
            // What `task undo` keeps of earlier texts.
            let tasks = try originals.map { task in
                var changed = task
                changed.priority = .high
                return try list().replace(changed)
            }
            #expect(try Self.found(tasks, in: folder) == tasks.count, "the search finds nothing")
            let protected = tasks.shuffled(using: &generator).prefix(200)
            for task in protected {
                var hidden = task
                hidden.content = .protected(
                    ProtectedTextID(of: task.id, number: generator.next()))
                try list().replace(hidden)
            }
            #expect(try Self.found(protected, in: folder) > 0, "the log has none of them")
            #expect(try repository.eraseOldBytes() == true)
            #expect(
                try Self.found(protected, in: folder) == 0, "run \(run), seed \(generator.seed)")
            #expect(TestFile.size(folder + "/tasks.db-wal") == 0)
            #expect(throws: SecureStoreError.locked) { try list().undo(in: nil) }
            // And the others are all there.
            #expect(try Self.found(tasks, in: folder) == 200)
            #expect(try repository.count(TaskFilter(isProtected: true)) == 200)
            let rest = try repository.tasks(TaskSelection(TaskFilter(isProtected: false)))
            let expected = Set(tasks).subtracting(protected).map(ExactTask.init)
            #expect(Set(rest.map(ExactTask.init)) == Set(expected))
        }
    }

    @Test("is not there after a task was removed or renamed, either")
    func removeAndRename() throws {
        try withTemporaryFolder { folder in
            var generator = SeededGenerator()
            let repository = try TaskRepository.openOrCreate(.file(folder + "/tasks.db"))
            let tasks = (0..<3).map { Self.task($0, &generator) }
            try repository.insert(tasks)
            try repository.change { writer in
                try writer.remove(tasks[0].id, expecting: 1)
                var renamed = tasks[1]
                renamed.content = .plain(TaskText(name: "new"))
                try writer.replace(renamed)
            }
            #expect(try repository.eraseOldBytes() == true)
            #expect(try Self.found(tasks, in: folder) == 1)
            repository.close()
            #expect(try Self.found(tasks, in: folder) == 1)
        }
    }

    @Test("stays while a reader needs it, and the caller gets false")
    func reader() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try TaskRepository.openOrCreate(.file(path))
            defer { repository.close() }
            var generator = SeededGenerator()
            let task = Self.task(1, &generator)
            try repository.insert([task])
            let reader = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            defer { reader.close() }
            try reader.begin(.deferred)
            _ = try reader.schemaCookie()
            try repository.change { try $0.remove(task.id, expecting: 1) }
            #expect(try repository.eraseOldBytes() == false)
            #expect(try Self.found([task], in: folder) == 1)
            try reader.rollback()
            #expect(try repository.eraseOldBytes() == true)
            #expect(try Self.found([task], in: folder) == 0)
        }
    }
}
