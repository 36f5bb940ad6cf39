@testable import Database
import Platform
import Testing
import TestSupport

@Suite("A connection")
struct ConnectionTests {
    @Test(
        "has the settings for hostile files and durable writes",
        arguments: [
            ("PRAGMA trusted_schema", 0), ("PRAGMA cell_size_check", 1),
            ("PRAGMA secure_delete", 1), ("PRAGMA synchronous", 2), ("PRAGMA temp_store", 2),
            ("PRAGMA writable_schema", 0), ("PRAGMA query_only", 0), ("PRAGMA cache_size", -8_192),
        ] as [(StaticString, Int64)])
    func settings(pragma: StaticString, expected: Int64) throws {
        try withDatabase { database in
            let value = try database.integer(pragma)
            #expect(value == expected)
        }
    }

    @Test("ignores what the defensive mode forbids")
    func defensive() throws {
        try withDatabase { database in
            try database.run(script: "CREATE TABLE t (a); PRAGMA writable_schema = ON")
            #expect(throws: DatabaseError.self) {
                try database.run(script: "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (b)'")
            }
        }
    }

    @Test("runs no trigger of the file")
    func triggersAreOff() throws {
        try withDatabase { database in
            try database.run(
                script: """
                    CREATE TABLE t (a);
                    CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES (2); END;
                    INSERT INTO t VALUES (1);
                    """)
            #expect(try database.integer("SELECT count(*) FROM t") == 1)
        }
    }

    @Test("attaches no other file")
    func attachIsOff() throws {
        try withDatabase { database in
            #expect(throws: DatabaseError.self) {
                try database.run(script: "ATTACH ':memory:' AS other")
            }
        }
    }

    @Test("that has the file to itself makes no shared memory, and others wait")
    func alone() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/data.db"
            let maker = try SQLiteConnection(
                path: path, options: SQLiteOptions(access: .create))
            #expect(try maker.setJournalMode(.writeAheadLog))
            try maker.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (7)")
            maker.close()
            let options = SQLiteOptions(access: .readWrite, lockTimeout: .zero)
            var exclusive = options
            exclusive.isExclusive = true
            let alone = try SQLiteConnection(path: path, options: exclusive)
            #expect(try alone.integer("SELECT a FROM t") == 7)
            #expect(unsafe access(path + "-shm", F_OK) == -1)
            func readByOther() throws -> Int64? {
                try SQLiteConnection(path: path, options: options).integer("SELECT a FROM t")
            }
            #expect {
                _ = try readByOther()
            } throws: {
                ($0 as? DatabaseError) == .busy
            }
            alone.close()
            #expect(try readByOther() == 7)
        }
    }

    @Test("does not make a file unless asked to")
    func missingFile() throws {
        try withTemporaryFolder { folder in
            let error = #expect(throws: DatabaseError.self) {
                try SQLiteConnection(
                    path: folder + "/none.db", options: SQLiteOptions(access: .readWrite))
            }
            #expect(error == .notFound)
        }
    }

    @Test("follows no symbolic link")
    func symbolicLink() throws {
        try withDatabase { database, path in
            try database.run(script: "CREATE TABLE t (a)")
            try #require(unsafe symlink(path, path + ".link") == 0)
            #expect(throws: DatabaseError.self) {
                try SQLiteConnection(
                    path: path + ".link", options: SQLiteOptions(access: .readWrite))
            }
        }
    }

    @Test("reads an immutable file whose name has signs of an address in it")
    func immutable() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a?b#c%41 ü&immutable=0.db"
            let writer = try SQLiteConnection(path: path, options: .init(access: .create))
            try writer.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (7)")
            writer.close()
            let reader = try SQLiteConnection(
                path: path, options: .init(access: .readOnlyImmutable))
            #expect(try reader.integer("SELECT a FROM t") == 7)
            #expect(reader.isReadOnly)
            #expect(throws: DatabaseError.self) {
                try reader.run(script: "INSERT INTO t VALUES (8)")
            }
        }
    }

    @Test("refuses changes when told to, though it could make them")
    func refusesChanges() throws {
        try withDatabase { database, path in
            try database.run(script: "CREATE TABLE t (a)")
            let reader = try SQLiteConnection(
                path: path, options: .init(access: .readWrite, refusesChanges: true))
            let error = #expect(throws: DatabaseError.self) {
                try reader.run(script: "INSERT INTO t VALUES (1)")
            }
            #expect(error == .readOnly)
        }
    }

    @Test("fails after close, and closes twice")
    func close() throws {
        try withDatabase { database in
            database.close()
            database.close()
            let error = #expect(throws: DatabaseError.self) { try database.execute("SELECT 1") }
            #expect(error == .closed)
            #expect(!database.isInTransaction)
        }
    }

    @Test("sees that its file was moved away")
    func hasMoved() throws {
        try withDatabase { database, path in
            try database.run(script: "CREATE TABLE t (a)")
            #expect(try !database.hasMoved())
            try #require(unsafe rename(path, path + ".old") == 0)
            #expect(try database.hasMoved())
        }
    }

    @Test("refuses rows over the size it was given")
    func maximumLength() throws {
        try withDatabase { database, path in
            try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))")
            let reader = try SQLiteConnection(
                path: path, options: .init(access: .readWrite, maximumLength: 50_000))
            let error = #expect(throws: DatabaseError.self) {
                let statement = try reader.statement("SELECT a FROM t")
                if try statement.step() { _ = try statement.row.bytes(0) }
            }
            #expect(error == .damaged(reason: "a row exceeds the maximum size"))
        }
    }

    @Test("does not wait longer than it was told")
    func busy() throws {
        try withDatabase { database, path in
            try database.begin(.immediate)
            let other = try SQLiteConnection(
                path: path, options: .init(access: .readWrite, lockTimeout: .zero))
            let error = #expect(throws: DatabaseError.self) { try other.begin(.immediate) }
            #expect(error == .busy)
        }
    }
}
