@testable import Database
import Testing
import TestSupport

@Suite("A transaction")
struct TransactionTests {
    @Test("is undone by a rollback, and kept by a commit")
    func rollbackAndCommit() throws {
        try withDatabase { database in
            try database.run(script: "CREATE TABLE t (a)")
            try database.begin(.immediate)
            #expect(database.isInTransaction)
            try database.execute("INSERT INTO t VALUES (1)")
            try database.rollback()
            #expect(!database.isInTransaction)
            try database.rollback()
            #expect(try database.integer("SELECT count(*) FROM t") == 0)
            try database.begin(.immediate)
            try database.execute("INSERT INTO t VALUES (1)")
            try database.commit()
            #expect(try database.integer("SELECT count(*) FROM t") == 1)
        }
    }

    @Test("sees one snapshot while another connection writes the log")
    func snapshot() throws {
        try withDatabase { writer, path in
            #expect(try writer.setJournalMode(.writeAheadLog))
            try writer.run(script: "CREATE TABLE t (a)")
            let reader = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try reader.begin(.deferred)
            #expect(try reader.integer("SELECT count(*) FROM t") == 0)
            try writer.execute("INSERT INTO t VALUES (1)")
            #expect(try reader.integer("SELECT count(*) FROM t") == 0)
            try reader.commit()
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        }
    }

    @Test("of a reader keeps the log from being cut")
    func truncateLog() throws {
        try withDatabase { writer, path in
            #expect(try writer.setJournalMode(.writeAheadLog))
            try writer.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            try writer.setLockTimeout(.zero)
            let reader = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try reader.begin(.deferred)
            #expect(try reader.integer("SELECT count(*) FROM t") == 1)
            try writer.execute("INSERT INTO t VALUES (2)")
            #expect(try !writer.truncateLog())
            try reader.commit()
            #expect(try writer.truncateLog())
        }
    }

    @Test("is one snapshot in a copy")
    func copy() throws {
        try withDatabase { source, path in
            try source.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (5)")
            let target = try SQLiteConnection(
                path: path + ".copy", options: .init(access: .create))
            try source.copyDatabase(to: target)
            #expect(try target.integer("SELECT a FROM t") == 5)
            try source.execute("UPDATE t SET a = 6")
            #expect(try target.integer("SELECT a FROM t") == 5)
        }
    }
}
