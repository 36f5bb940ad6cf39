@testable import Database
import Testing
import TestSupport

/// The behaviour of every implementation of ``Database``, behind a ``DatabasePool``.
@Suite("A database")
struct DatabaseContract {
    private static let unknownVersion = DatabaseError.foreign(reason: "an unknown storage version")
    private static let otherTables = DatabaseError.foreign(
        reason: "the tables are not those of a notebook")

    private static func reopen(
        _ place: DatabasePlace, _ schema: Schema = .notes, _ mode: StorageMode = .readWrite
    ) throws -> [Int64] {
        let pool = try DatabasePool.open(place, schema, DatabaseOptions(mode: mode))
        defer { pool.close() }
        return try pool.ids()
    }

    @Test("that is missing is not found, and not made", arguments: Implementation.shared)
    func missing(kind: Implementation) throws {
        try kind.withPlace { place in
            for mode in [StorageMode.readWrite, .readOnly] {
                expect(.notFound) { _ = try Self.reopen(place, .notes, mode) }
            }
            if case .file(let path) = place { #expect(!TestFile.exists(path)) }
            let isEmpty = try place.isEmptyServer()
            #expect(isEmpty)
        }
    }

    @Test("is created without rows, and opened with them", arguments: Implementation.shared)
    func create(kind: Implementation) throws {
        try kind.withPlace { place in
            let pool = try DatabasePool.create(place, .notes)
            #expect(try pool.ids() == [])
            try pool.write { try $0.insert(1) }
            pool.close()
            if kind == .file {
                expect(.alreadyExists) { _ = try DatabasePool.create(place, .notes) }
            } else {
                try DatabasePool.create(place, .notes).close()
            }
            #expect(try Self.reopen(place) == [1])
            #expect(try Self.reopen(place, .notes, .readOnly) == [1])
        }
    }

    @Test("is made where it is missing, and opened where it is not", arguments: Implementation.all)
    func openOrCreate(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            #expect(try pool.ids() == [1])
            guard kind != .memory else { return }
            let second = try DatabasePool.openOrCreate(place, .notes)
            defer { second.close() }
            #expect(try second.ids() == [1])
        }
    }

    @Test("that several make at once is made once", arguments: Implementation.shared)
    func together(kind: Implementation) throws {
        try kind.withPlace { place in
            onOwnThreads(4) { number in
                let pool = try DatabasePool.openOrCreate(
                    place, .notes, DatabaseOptions(lockTimeout: .seconds(60)))
                defer { pool.close() }
                try pool.write { try $0.insert(Int64(number)) }
            }
            let ids = try Self.reopen(place)
            #expect(ids == [0, 1, 2, 3])
        }
    }

    @Test("of a newer program is refused and left alone", arguments: Implementation.shared)
    func newer(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            #expect(try Self.reopen(place, .newerNotes) == [1, 1_000])
            for mode in [StorageMode.readWrite, .readOnly] {
                expect(.newerVersion(3)) { _ = try Self.reopen(place, .notes, mode) }
            }
            expect(.newerVersion(3)) { _ = try DatabasePool.openOrCreate(place, .notes) }
            // This pool has been open all the time.
            expect(.newerVersion(3)) { try pool.write { try $0.insert(2) } }
            #expect(try Self.reopen(place, .newerNotes) == [1, 1_000])
        }
    }

    @Test(
        "of an older program is brought to the newest version once",
        arguments: Implementation.shared)
    func migration(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            pool.close()
            expect(Self.unknownVersion) { _ = try Self.reopen(place, .newerNotes, .readOnly) }
            #expect(try Self.reopen(place) == [1])
            for _ in 0..<2 { #expect(try Self.reopen(place, .newerNotes) == [1, 1_000]) }
            #expect(try Self.reopen(place, .newerNotes, .readOnly) == [1, 1_000])
            #expect(try place.tables() == ["notes", "more"])
        }
    }

    @Test(
        "of an older program is migrated by one of several pools", arguments: Implementation.shared)
    func migrationTogether(kind: Implementation) throws {
        try kind.withPool { pool, place in
            pool.close()
            onOwnThreads(4) { _ in
                let options = DatabaseOptions(lockTimeout: .seconds(60))
                let pool = try DatabasePool.open(place, .slowNotes, options)
                defer { pool.close() }
                guard try pool.ids() == [1_000] else { throw BodyError() }
            }
        }
    }

    @Test("is as it was when a migration fails", arguments: Implementation.shared)
    func failingMigration(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            expectDamage { _ = try Self.reopen(place, .brokenNotes) }
            expectDamage { _ = try DatabasePool.openOrCreate(place, .brokenNotes) }
            #expect(try place.tables() == ["notes"])
            try pool.write { try $0.insert(2) }
            #expect(try Self.reopen(place) == [1, 2])
        }
    }

    @Test(
        "is opened without a lock where no migration is missing", arguments: Implementation.shared)
    func noLock(kind: Implementation) throws {
        try kind.withPool { pool, place in
            try pool.write { _ in
                let options = DatabaseOptions(lockTimeout: .milliseconds(1))
                try DatabasePool.open(place, .notes, options).close()
                try DatabasePool.openOrCreate(place, .notes, options).close()
            }
        }
    }

    @Test(
        "with other tables is refused and left alone",
        arguments: [
            ("CREATE TABLE other (id)", "CREATE TABLE taskvault_notes.notes (id int)"),
            (
                "CREATE TABLE other (id); PRAGMA user_version = 1",
                "CREATE TABLE taskvault_notes.version (version text)"
            ),
            (
                "CREATE TABLE other (id); PRAGMA application_id = \(0x6E6F_7465)",
                """
                CREATE TABLE taskvault_notes.version (version bigint);
                CREATE TABLE taskvault_notes.notes (id int)
                """
            ),
            (
                """
                CREATE TABLE other (id); PRAGMA application_id = \(0x6E6F_7465);
                PRAGMA user_version = 1
                """,
                "CREATE VIEW taskvault_notes.version AS SELECT 1::bigint AS version"
            ),
        ] as [(String, String)])
    func foreign(sqlite: String, postgreSQL: String) throws {
        for kind in Implementation.shared {
            try kind.withPlace { place in
                if case .file(let path) = place {
                    try TestFile.write([], to: path)
                }
                try place.run(
                    sqlite: sqlite, postgreSQL: "CREATE SCHEMA taskvault_notes; " + postgreSQL)
                let before = try place.tables()
                func isForeign(_ body: () throws -> Void) -> Bool {
                    if case .foreign = databaseError(body) { true } else { false }
                }
                for mode in [StorageMode.readWrite, .readOnly] {
                    #expect(isForeign { _ = try Self.reopen(place, .notes, mode) })
                }
                // Of an older version, as far as it says: the step does not fit.
                #expect(databaseError { _ = try Self.reopen(place, .newerNotes) } != nil)
                #expect(isForeign { _ = try DatabasePool.openOrCreate(place, .notes) })
                #expect(try place.tables() == before)
            }
        }
    }

    @Test("that gets a trigger while it is open is written no more")
    func trigger() throws {
        try Implementation.file.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            try place.run(
                sqlite: """
                    CREATE TRIGGER evil AFTER INSERT ON notes
                    BEGIN DELETE FROM notes; END
                    """, postgreSQL: "")
            for _ in 0..<2 {
                expect(Self.otherTables) { try pool.write { try $0.insert(2) } }
            }
            try place.run(sqlite: "DROP TRIGGER evil", postgreSQL: "")
            try pool.write { try $0.insert(3) }
            #expect(try pool.ids() == [1, 3])
        }
    }

    @Test(
        "that is opened for reading refuses every change", arguments: Implementation.shared, [1, 4])
    func readOnly(kind: Implementation, connections: Int) throws {
        try kind.withPool { pool, place in
            try pool.write { try $0.insert(1) }
            let reader = try DatabasePool.open(
                place, .notes, DatabaseOptions(mode: .readOnly, connections: connections))
            defer { reader.close() }
            expect(.readOnly) { try reader.write { try $0.insert(2) } }
            expect(.readOnly) { try reader.read { try $0.insert(2) } }
            expect(.readOnly) { try reader.single { try $0.insert(2) } }
            expect(.readOnly) { _ = try reader.eraseOldBytes() }
            try Self.expectNoWrites(reader)
            #expect(try reader.ids() == [1])
            try pool.write { try $0.insert(2) }
            #expect(try reader.ids() == [1, 2])
        }
    }

    @Test(
        "is changed by nothing but a transaction for writing", arguments: Implementation.all,
        [1, 4])
    func readers(kind: Implementation, connections: Int) throws {
        try kind.withPool(DatabaseOptions(connections: connections)) { pool, _ in
            expect(.readOnly) { try pool.read { try $0.insert(2) } }
            expect(.readOnly) { try pool.single { try $0.insert(2) } }
            if connections > 1, kind != .memory { try Self.expectNoWrites(pool) }
            #expect(try pool.ids() == [])
            try pool.write { try $0.insert(1) }
        }
    }

    /// Makes sure that the connection itself refuses changes, also those that look like a question.
    private static func expectNoWrites(_ pool: DatabasePool) throws {
        func insert(_ transaction: Transaction) throws {
            _ = try transaction.rows(
                SQL(
                    sqlite: "INSERT INTO notes (id) VALUES (77) RETURNING id",
                    postgreSQL: "SELECT id FROM notes FOR UPDATE")
            ) { _ in }
        }
        expect(.readOnly) { try pool.read(insert) }
        expect(.readOnly) { try pool.single { try insert($0) } }
    }
}

extension DatabasePlace {
    /// Whether a server has nothing of ours; true for a file.
    fileprivate func isEmptyServer() throws -> Bool {
        guard case .server = self else { return true }
        return try tables().isEmpty
    }
}
