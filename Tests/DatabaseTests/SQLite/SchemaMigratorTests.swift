import Database
import Testing
import TestSupport

@Suite("The schema migrator")
struct SchemaMigratorTests {
    private let first = SchemaMigrator.Migration(version: 1, script: "CREATE TABLE a (x)")
    private let second = SchemaMigrator.Migration(
        version: 3, script: "INSERT INTO a VALUES (1); CREATE TABLE b (x)")

    @Test("runs the steps that are missing, once and in order")
    func steps() throws {
        try withDatabase { database in
            try SchemaMigrator([first]).migrate(database)
            #expect(try database.schemaVersion() == 1)
            let migrator = SchemaMigrator([first, second])
            try migrator.migrate(database)
            try migrator.migrate(database)
            #expect(try database.schemaVersion() == 3)
            #expect(try database.integer("SELECT count(*) FROM a") == 1)
        }
    }

    @Test("leaves everything as it was when a step fails")
    func failure() throws {
        try withDatabase { (database) throws in
            let broken = SchemaMigrator.Migration(
                version: 2, script: "INSERT INTO a VALUES (1); CREATE TABLE a (x)")
            #expect(throws: SchemaMigrator.Failure.self) {
                try SchemaMigrator([first, broken]).migrate(database)
            }
            #expect(!database.isInTransaction)
            #expect(try database.schemaVersion() == 1)
            #expect(try database.integer("SELECT count(*) FROM a") == 0)
        }
    }

    @Test("refuses a newer version, and touches nothing")
    func newer() throws {
        try withDatabase { (database) throws in
            try database.run(script: "PRAGMA user_version = 4")
            #expect(throws: SchemaMigrator.Failure.newerVersion(4)) {
                try SchemaMigrator([first, second]).migrate(database)
            }
            #expect(try database.integer("SELECT count(*) FROM sqlite_schema") == 0)
        }
    }

    @Test("needs no lock where nothing is missing")
    func noLock() throws {
        try withDatabase { database, path in
            let migrator = SchemaMigrator([first])
            #expect(try database.setJournalMode(.writeAheadLog))
            try migrator.migrate(database)
            try database.begin(.immediate)
            let other = try SQLiteConnection(
                path: path, options: .init(access: .readWrite, busyTimeout: .zero))
            try migrator.migrate(other)
        }
    }
}
