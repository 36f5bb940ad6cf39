import Database
import Synchronization
import Testing
import TestSupport
import VaultStorage

/// Tables in whose verification something happens between the look at the version and that at the shape.
private enum WatchedTables: PostgreSQLTableKind {
    static let between = Mutex<(@Sendable () throws(DatabaseError) -> Void)?>(nil)

    static let noun = "test"
    static var prefix: String {
        let action = between.withLock { $0.take() }
        do throws(DatabaseError) {
            try action?()
        } catch {
            Issue.record(error)
        }
        return "watched_"
    }
    static let lockedTable: StaticString = "taskvault.watched_items"
    static let versionQuery: StaticString = "SELECT version FROM taskvault.watched_version"
    static let migrator = PostgreSQLMigrator(
        schema: "taskvault", versionTable: "watched_version",
        [
            PostgreSQLMigrator.Migration(
                version: 1, script: "CREATE TABLE taskvault.watched_items (id bigint)")
        ])
    static let description = [
        "watched_items 1 id bigint", "watched_items rp",
        "watched_version 1 version bigint NOT NULL", "watched_version rp",
    ]
}

@Suite(
    "Tables that another machine is making",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLSnapshotTests {
    @Test("are not there, or are whole")
    func made() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            WatchedTables.between.withLock {
                $0 = { () throws(DatabaseError) in
                    try PostgreSQLClient<WatchedTables>.openOrCreate(address, PostgreSQLOptions())
                        .close()
                }
            }
            func open() throws {
                try PostgreSQLClient<WatchedTables>.open(
                    address, mode: .readOnly, PostgreSQLOptions()
                ).close()
            }
            #expect(storageError { try open() } == .notFound)
            #expect(WatchedTables.between.withLock { $0 == nil })
            #expect(storageError { try open() } == nil)
        }
    }
}
