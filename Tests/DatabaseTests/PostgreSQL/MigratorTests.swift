import Database
import Synchronization
import Testing
import TestSupport

@Suite(
    "A migration on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct MigratorTests {
    private static let first = PostgreSQLMigrator.Migration(
        version: 1, script: "CREATE TABLE notes.first (number bigint)")
    private static let second = PostgreSQLMigrator.Migration(
        version: 3, script: "CREATE TABLE notes.second AS SELECT * FROM notes.first")
    private static let broken = PostgreSQLMigrator.Migration(
        version: 4, script: "CREATE TABLE notes.third (); SELECT missing")

    private static func migrator(_ steps: PostgreSQLMigrator.Migration...) -> PostgreSQLMigrator {
        PostgreSQLMigrator(schema: "notes", versionTable: "notes_version", steps)
    }

    private let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'notes'"

    @Test("runs the steps that are missing, once")
    func steps() throws {
        try withConnection { connection in
            let migrator = Self.migrator(Self.first)
            #expect(try migrator.version(on: connection) == nil)
            try migrator.migrate(connection)
            try migrator.migrate(connection)
            let one = try migrator.version(on: connection)
            #expect(one == 1)
            try Self.migrator(Self.first, Self.second).migrate(connection)
            let two = try migrator.version(on: connection)
            #expect(two == 3)
            let count = try connection.number(tables)
            #expect(count == 3)
            do throws(PostgreSQLMigrator.Failure) {
                try migrator.migrate(connection)
                Issue.record("an older program must not touch it")
            } catch {
                #expect(error == .newerVersion(3))
            }
        }
    }

    @Test("that fails changes nothing")
    func failing() throws {
        try withConnection { connection in
            try Self.migrator(Self.first).migrate(connection)
            do throws(PostgreSQLMigrator.Failure) {
                try Self.migrator(Self.first, Self.second, Self.broken).migrate(connection)
                Issue.record("a broken step must be told")
            } catch {
                #expect(error == .database(.server(try #require(SQLState(rawValue: "42703")))))
            }
            #expect(!connection.isInTransaction)
            let version = try Self.migrator(Self.first).version(on: connection)
            #expect(version == 1)
            let count = try connection.number(tables)
            #expect(count == 2)
        }
    }

    @Test("by several at once is done by one of them")
    func together() async throws {
        try await withPostgreSQLDatabase { address in
            let failures = Mutex<[String]>([])
            // The step takes a moment, so that all of them are there before the first is done.
            let slow = PostgreSQLMigrator.Migration(
                version: 1, script: "CREATE TABLE notes.first (); SELECT pg_sleep(0.5)")
            await onThreads(4) { _ in
                do {
                    let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                    try Self.migrator(slow).migrate(connection)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test("needs no right to make a schema where there is one")
    func rights() throws {
        try withPostgreSQLDatabase { address in
            let owner = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            let role = "role_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try owner.run(
                script: """
                    CREATE ROLE \(role) LOGIN; CREATE SCHEMA notes AUTHORIZATION \(role)
                    """)
            defer { _ = try? owner.run(script: "DROP SCHEMA notes CASCADE; DROP ROLE \(role)") }
            let user = try PostgreSQLConnection(
                to: PostgreSQLAddress(address.replacing("vault@", with: role + "@")))
            try Self.migrator(Self.first).migrate(user)
            user.close()
        }
    }
}
