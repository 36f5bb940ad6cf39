import Database
import Platform
import Tasks
import Testing
import TestSupport

@Suite("A hostile file of tasks")
struct HostileTaskFileTests {
    @Test("without a change has the documented schema, and opens")
    func control() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try HostileTaskFile.make(
                at: path, script: HostileTaskFile.schema + HostileTaskFile.row)
            #expect(openErrors(path) == [nil, nil, nil])
            let repository = try TaskRepository.openOrCreate(.file(path))
            #expect(try repository.everything() == [ExactTask(TaskSamples.plain(1))])
            repository.close()
            #expect(TestFile.names(in: folder) == ["tasks.db"])
        }
    }

    static let foreign = DatabaseError.foreign(reason: "not a task list file")
    static let tables = DatabaseError.foreign(
        reason: "the tables are not those of a task list")
    static let version = DatabaseError.foreign(reason: "an unknown storage version")

    @Test(
        "with another schema is refused and not changed",
        arguments: [
            ("PRAGMA application_id = 1414941780", foreign),
            ("PRAGMA application_id = 0", foreign),
            ("PRAGMA user_version = 4", .newerVersion(4)),
            ("PRAGMA user_version = 1", .earlierBuild(schema: nil)),
            ("PRAGMA user_version = 2147483647", .newerVersion(2_147_483_647)),
            ("PRAGMA user_version = 0", version), ("PRAGMA user_version = -1", version),
            ("CREATE TRIGGER t AFTER INSERT ON tasks BEGIN DELETE FROM intents; END", tables),
            ("CREATE VIEW v AS SELECT * FROM tasks", tables),
            ("CREATE INDEX i ON tasks (name)", tables), ("CREATE TABLE zzz (a)", tables),
            ("DROP INDEX tasks_by_due", tables), ("DROP TABLE completions", tables),
            ("ANALYZE", tables), ("ALTER TABLE tasks ADD COLUMN more INTEGER", tables),
            (
                "DROP INDEX tasks_by_due; CREATE INDEX tasks_by_due ON tasks (state, due, id)",
                tables
            ),
            (
                "DROP TABLE intents; CREATE VIEW intents AS SELECT 'x' AS text_id, 1 AS kind",
                tables
            ),
        ] as [(String, DatabaseError)])
    func schema(script: String, expected: DatabaseError) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try HostileTaskFile.make(at: path, script: HostileTaskFile.schema + script)
            let before = try TestFile.read(path)
            #expect(openErrors(path) == [expected, expected, expected])
            #expect(try TestFile.read(path) == before)
            #expect(TestFile.names(in: folder) == ["tasks.db"])
        }
    }

    @Test("whose schema changes while it is open is refused at the next write")
    func schemaChanges() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try TaskRepository.openOrCreate(.file(path))
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1)])
            let other = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try other.run(script: "PRAGMA user_version = 4; CREATE TABLE zzz (a)")
            other.close()
            #expect(throws: DatabaseError.newerVersion(4)) {
                try repository.insert([TaskSamples.plain(2)])
            }
        }
    }

    @Test(
        "that is not a database is refused and not changed",
        arguments: [
            [], Array("hello".utf8), [UInt8](repeating: 0, count: 8_192),
            [UInt8](repeating: 0xff, count: 5_000),
        ])
    func noDatabase(bytes: [UInt8]) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try TestFile.write(bytes, to: path)
            let reason = bytes.isEmpty ? "the file is empty" : "not an SQLite database"
            let error = DatabaseError.foreign(reason: reason)
            #expect(openErrors(path) == [error, error, error])
            #expect(try TestFile.read(path) == bytes)
        }
    }

    @Test("that is truncated is refused or read in part, without a crash")
    func truncated() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            let repository = try TaskRepository.openOrCreate(.file(path))
            try repository.insert(
                (0..<200).map { TaskSamples.plain($0, notes: String(repeating: "n", count: 300)) })
            repository.close()
            let bytes = try TestFile.read(path)
            var refused = 0
            for count in stride(from: 100, to: bytes.count, by: 4_096 / 2 + 7) {
                try TestFile.write(Array(bytes[..<count]), to: path)
                let error = taskError {
                    let cut = try TaskRepository.openOrCreate(.file(path))
                    defer { cut.close() }
                    _ = try cut.everything()
                }
                if error != nil { refused += 1 }
                for suffix in ["-wal", "-shm", "-journal"] { unsafe unlink(path + suffix) }
            }
            #expect(refused > 0)
        }
    }

    @Test(
        "with a row that this program never writes is damaged",
        arguments: [
            "id = 'OOOOO1'", "id = '00001'", "id = 'x'", "revision = 0", "revision = -1",
            "name = CAST(x'ff' AS TEXT)", "notes = CAST(x'c3' AS TEXT)",
            "text_id = 'x', name = NULL, name_key = NULL, notes = NULL, further = NULL",
            "text_id = '', name = NULL, name_key = NULL, notes = NULL, further = NULL",
            // Neither a point in time nor a day.
            "due = 1", "wait = 9223372036854775807", "reminder = -3", "snooze = 172799999",
            "repetition = 'FREQ=HOURLY'", "occurrence = '2026'", "occurrence = '20261301'",
        ])
    func rows(change: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try HostileTaskFile.make(
                at: path,
                script: HostileTaskFile.schema + HostileTaskFile.row + "UPDATE tasks SET \(change)")
            let repository = try TaskRepository.openOrCreate(.file(path))
            defer { repository.close() }
            let error = taskError { _ = try repository.tasks(TaskSelection()) }
            guard case .damaged = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(
        "in an unsafe place is refused",
        arguments: [
            ("a symbolic link", "mv tasks.db t; ln -s t tasks.db"),
            ("has more than one hard link", "ln tasks.db t"),
            ("accessible to other users", "chmod 640 tasks.db"),
            ("accessible to other users", "chmod 602 tasks.db"),
            ("not a regular file", "rm tasks.db; mkfifo -m 600 tasks.db"),
            ("accessible to other users", "chmod 711 ."),
            ("a symbolic link", "ln -s /etc/passwd tasks.db-wal"),
            ("accessible to other users", ": > tasks.db-shm; chmod 644 tasks.db-shm"),
        ])
    func place(reason: String, script: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/tasks.db"
            try TaskRepository.openOrCreate(.file(path)).close()
            #expect(openErrors(path) == [nil, nil, nil])
            try #require(unsafe system("umask 077; cd '\(folder)' && { \(script); }") == 0)
            for error in openErrors(path) {
                guard case .unsafeLocation(_, let found) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(found == reason)
            }
        }
    }
}
