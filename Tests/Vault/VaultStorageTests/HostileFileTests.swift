import Database
import Testing
import TestSupport
import VaultStorage

@Suite("A hostile file")
struct HostileFileTests {
    private func openError(_ path: String) -> [DatabaseError?] {
        [.readWrite, .readOnly].map { (mode: StorageMode) in
            storageError { try VaultDatabase.openFile(at: path, mode: mode).close() }
        }
    }

    @Test("that is none is what the format says, and opens")
    func control() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(
                at: folder + "/v.db",
                script: HostileFile.schema
                    + "INSERT INTO items VALUES (x'01', x'02', 1, 2, 1, x'03', x'04')")
            #expect(openError(folder + "/v.db") == [nil, nil])
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readWrite)
            let items = try storage.items()
            #expect(
                items == [
                    ItemRecord(
                        tag: [1], itemID: [2], accessClass: 1, revision: 2, format: 1,
                        attributes: [3], value: [4])
                ])
            storage.close()
            #expect(TestFile.names(in: folder) == ["v.db"])
        }
    }

    @Test("without a byte in it is foreign")
    func empty() throws {
        try withTemporaryFolder { folder in
            try TestFile.write([], to: folder + "/v.db")
            let error = DatabaseError.foreign(reason: "the file is empty")
            #expect(openError(folder + "/v.db") == [error, error])
        }
    }

    @Test(
        "that is no database is foreign, and stays as it is",
        arguments: [
            Array("hello".utf8), [UInt8](repeating: 0, count: 8_192),
            [UInt8](repeating: 0xff, count: 5_000),
        ])
    func noDatabase(bytes: [UInt8]) throws {
        try withTemporaryFolder { folder in
            try TestFile.write(bytes, to: folder + "/v.db")
            let error = DatabaseError.foreign(reason: "not an SQLite database")
            #expect(openError(folder + "/v.db") == [error, error])
            let after = try TestFile.read(folder + "/v.db")
            #expect(after == bytes)
        }
    }

    static let notVault = DatabaseError.foreign(reason: "not a vault file")
    static let tables = DatabaseError.foreign(reason: "the tables are not those of a vault")
    static let version = DatabaseError.foreign(reason: "an unknown storage version")

    @Test(
        "with anything but the vault's schema is refused, and stays as it is",
        arguments: [
            ("PRAGMA application_id = 1", notVault),
            ("PRAGMA application_id = 0", notVault),
            ("PRAGMA user_version = 3", .newerVersion(3)),
            ("PRAGMA user_version = 2147483647", .newerVersion(2_147_483_647)),
            ("PRAGMA user_version = 1", .earlierBuild(schema: nil)),
            ("PRAGMA user_version = 0", version),
            ("PRAGMA user_version = -1", version),
            (
                "CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM items; END",
                tables
            ),
            ("CREATE VIEW v AS SELECT * FROM items", tables),
            ("CREATE INDEX i ON items (item_id)", tables),
            ("CREATE TABLE more (a)", tables),
            ("CREATE TABLE zzz (a)", tables),
            ("CREATE TABLE a (a UNIQUE)", tables),
            ("CREATE VIRTUAL TABLE f USING fts5 (a)", tables),
            ("CREATE VIRTUAL TABLE r USING rtree (id, a, b)", tables),
            ("ANALYZE", tables),
            ("DROP TABLE buckets", tables),
            ("ALTER TABLE items ADD COLUMN more INTEGER", tables),
            ("ALTER TABLE items RENAME COLUMN class TO klass", tables),
            ("DROP TABLE state; CREATE VIEW state AS SELECT 1 AS id, x'00' AS bytes", tables),
            (
                "DROP TABLE state; CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), "
                    + "bytes BLOB NOT NULL) STRICT,  WITHOUT ROWID",
                tables
            ),
        ] as [(String, DatabaseError)])
    func schema(script: String, expected: DatabaseError) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            try HostileFile.make(at: path, script: HostileFile.schema + script)
            let before = try TestFile.read(path)
            #expect(openError(path) == [expected, expected])
            let after = try TestFile.read(path)
            #expect(after == before)
            #expect(TestFile.names(in: folder) == ["v.db"])
        }
    }

    static let columns = ["tag", "item_id", "class", "revision", "format", "attributes", "value"]
    static let goodRow = ["x'01'", "x'02'", "1", "2", "1", "x'03'", "x'04'"]

    /// Column, and what stands there instead.
    static let wrongValues: [(Int, String)] =
        [0, 1, 5, 6].flatMap { column in
            ["1", "1.5", "'text'"].map { (column, $0) }
        }
        + [1, 2, 3, 4, 5, 6].map { ($0, "NULL") }
        + [2, 3, 4].flatMap { column in
            ["1.5", "'text'", "x'01'"].map { (column, $0) }
        }

    /// Column, and a number that the column's type cannot hold.
    static let wrongNumbers: [(Int, String)] =
        [2, 3, 4].flatMap { column in ["-1", "-9223372036854775808"].map { (column, $0) } }
        + [(2, "256"), (4, "4294967296"), (2, "9223372036854775807")]

    @Test(
        "with a number that cannot be gives a zero, which the vault refuses by name",
        arguments: wrongNumbers)
    func wrongNumber(column: Int, value: String) throws {
        try withTemporaryFolder { folder in
            var row = Self.goodRow
            row[column] = value
            try HostileFile.makeLax(
                at: folder + "/v.db",
                rows: "INSERT INTO items VALUES (\(row.joined(separator: ", ")))")
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readWrite)
            defer { storage.close() }
            let item = try #require(storage.items().first)
            let numbers = [UInt64(item.accessClass), item.revision, UInt64(item.format)]
            #expect(numbers[column - 2] == 0)
            #expect(numbers.filter { $0 == 0 }.count == 1)
        }
    }

    @Test("with a column of another type is damaged", arguments: wrongValues)
    func wrongType(column: Int, value: String) throws {
        try withTemporaryFolder { folder in
            var row = Self.goodRow
            row[column] = value
            try HostileFile.makeLax(
                at: folder + "/v.db",
                rows: "INSERT INTO items VALUES (\(row.joined(separator: ", ")))")
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readWrite)
            defer { storage.close() }
            let damaged = DatabaseError.damaged(
                reason: "a column has an unexpected type or range")
            #expect(storageError { _ = try storage.items() } == damaged)
            // A tag that is no blob is in no bucket; the other rows are found by theirs.
            guard column != 0 else { return }
            #expect(storageError { _ = try storage.items(inBucket: 1) } == damaged)
            #expect(storageError { _ = try storage.stateAndItem(tag: [1]) } == damaged)
            #expect(storageError { _ = try storage.read { try $0.item(tag: [1]) } } == damaged)
        }
    }

    static let earlierColumns = ["x'01'", "2", "1", "1", "x'03'", "x'04'", "x'05'"]

    @Test(
        "with a column of another type in an earlier row is damaged",
        arguments: earlierColumns.indices, ["1.5", "'text'", "NULL"])
    func wrongEarlierType(column: Int, value: String) throws {
        // The columns of the primary key are never NULL.
        if column < 2, value == "NULL" { return }
        try withTemporaryFolder { folder in
            var row = Self.earlierColumns
            row[column] = value
            try HostileFile.makeLax(
                at: folder + "/v.db",
                rows: "INSERT INTO earlier VALUES (\(row.joined(separator: ", ")))")
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readWrite)
            defer { storage.close() }
            let damaged = DatabaseError.damaged(
                reason: "a column has an unexpected type or range")
            #expect(storageError { _ = try storage.earlier() } == damaged)
            guard column != 0 else { return }
            #expect(storageError { _ = try storage.earlier(inBucket: 1) } == damaged)
            guard column != 1 else { return }
            #expect(
                storageError { _ = try storage.read { try $0.earlier(itemID: [1], revision: 2) } }
                    == damaged)
        }
    }

    @Test("with rows that only the vault can judge gives them as they are")
    func oddRows() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(
                at: folder + "/v.db",
                script: HostileFile.schema + """
                    INSERT INTO items VALUES (x'', x'', 0, 0, 0, x'', x''),
                        (zeroblob(1000), x'01', 255, 9223372036854775807, 4294967295, x'', x'');
                    INSERT INTO buckets VALUES (-9223372036854775808, x''), (512, x'01');
                    INSERT INTO earlier VALUES (x'', -5, 0, 0, x'', x'', x''),
                        (zeroblob(1000), 9223372036854775807, 255, 4294967295, x'', x'', x'01');
                    INSERT INTO links VALUES (-1, x'01'), (0, x'02'), (9223372036854775807, x'');
                    """)
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readOnly)
            defer { storage.close() }
            let content = try storage.everything()
            #expect(content.items.map(\.tag.count) == [0, 1_000])
            #expect(content.items.map(\.accessClass) == [0, 255])
            #expect(content.items.map(\.revision) == [0, UInt64(Int64.max)])
            #expect(content.items.map(\.format) == [0, .max])
            #expect(content.buckets.map(\.number) == [.min, 512])
            #expect(content.earlier.map(\.itemID.count) == [0, 1_000])
            #expect(content.earlier.map(\.revision) == [0, UInt64(Int64.max)])
            // No commit has the other counters.
            #expect(content.links == [LinkRecord(counter: LinkRecord.largestCounter, bytes: [])])
        }
    }

    @Test(
        "with a header, state, bucket record or link of another type is damaged",
        arguments: ["1", "1.5", "'text'", "NULL"])
    func wrongRecords(value: String) throws {
        try withTemporaryFolder { folder in
            try HostileFile.makeLax(
                at: folder + "/v.db",
                rows: """
                    INSERT INTO header VALUES (1, \(value)); INSERT INTO state VALUES (1, \(value));
                    INSERT INTO buckets VALUES (1, \(value)); INSERT INTO links VALUES (1, \(value));
                    """)
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readWrite)
            defer { storage.close() }
            let damaged = DatabaseError.damaged(
                reason: "a column has an unexpected type or range")
            #expect(storageError { _ = try storage.read { try $0.header() } } == damaged)
            #expect(storageError { _ = try storage.read { try $0.state() } } == damaged)
            #expect(storageError { _ = try storage.read { try $0.buckets() } } == damaged)
            #expect(
                storageError { try storage.read { try $0.forEachLink(1...9) { _ in } } } == damaged)
            #expect(storageError { _ = try storage.stateAndItem(tag: [1]) } == damaged)
        }
    }

    @Test("with links of any size gives one byte too many of each")
    func largeLinks() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(
                at: folder + "/v.db",
                script: HostileFile.schema + "INSERT INTO links VALUES (1, zeroblob(1000000));")
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readOnly)
            defer { storage.close() }
            #expect(try storage.everything().links.map(\.bytes.count) == [LinkRecord.size + 1])
        }
    }

    @Test("with a million bucket records gives enough of them to be refused")
    func manyBuckets() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(
                at: folder + "/v.db",
                script: HostileFile.schema + """
                    INSERT INTO buckets WITH RECURSIVE n(i) AS
                        (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
                        SELECT i, x'' FROM n;
                    """)
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readOnly)
            defer { storage.close() }
            let numbers = try storage.read { try $0.buckets().map(\.number) }
            #expect(numbers == Array(0...512))
        }
    }

    @Test("with a row too large for any item is damaged")
    func hugeRow() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(
                at: folder + "/v.db",
                script: HostileFile.schema
                    + "INSERT INTO items VALUES (x'01', x'02', 1, 2, 1, x'03', zeroblob(30000000))")
            let storage = try VaultDatabase.openFile(at: folder + "/v.db", mode: .readOnly)
            defer { storage.close() }
            #expect(
                storageError { _ = try storage.items() }
                    == .damaged(reason: "a row exceeds the maximum size"))
        }
    }

    @Test("whose journal would remove another file is refused, and removes nothing")
    func superJournal() throws {
        try withTemporaryFolder { folder in
            try HostileFile.make(at: folder + "/v.db", script: HostileFile.schema)
            let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
            try TestFile.write(
                [UInt8](repeating: 0, count: 512) + magic, to: folder + "/v.db-journal")
            let error = DatabaseError.damaged(
                reason: "the journal beside the file belongs to another file")
            #expect(openError(folder + "/v.db") == [error, error])
            #expect(TestFile.names(in: folder) == ["v.db", "v.db-journal"])
        }
    }

    @Test("in another journal mode is read, and written with a log")
    func journalMode() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            try HostileFile.make(at: path, script: HostileFile.schema)
            let storage = try VaultDatabase.openFile(at: path, mode: .readWrite)
            try storage.put([.sample(1)])
            #expect(TestFile.exists(path + "-wal"))
            storage.close()
            let bytes = try TestFile.read(path)
            #expect(bytes[18] == 2 && bytes[19] == 2)
        }
    }

    @Test("that gets a trigger while it is open is not written")
    func schemaChangedMeanwhile() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/v.db"
            let storage = try VaultDatabase.createFile(at: path)
            defer { storage.close() }
            try storage.put([.sample(1)])
            let other = try SQLiteConnection(path: path, options: .init(access: .readWrite))
            try other.run(
                script: "CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM items; END")
            #expect(storageError { try storage.put([.sample(2)]) } == Self.tables)
            try other.run(script: "DROP TRIGGER t; PRAGMA user_version = 3")
            #expect(storageError { try storage.put([.sample(2)]) } == .newerVersion(3))
            try other.run(script: "PRAGMA user_version = 2")
            try storage.put([.sample(2)])
            let items = try storage.items()
            #expect(items == [.sample(1), .sample(2)])
        }
    }
}
