internal import CSQLite
internal import Platform
internal import Synchronization

/// A database file whose location, kind, version and tables were checked, or a database in memory.
///
/// The file is opened as untrusted. See ``Database``.
final class SQLiteDatabase: Database {
    let connection: SQLiteConnection
    private let schema: Schema
    private let lockTimeout: Duration
    private let isInMemory: Bool
    /// Identifies this connection within the process.
    private let serial = nextSerial.wrappingAdd(1, ordering: .relaxed).newValue
    /// The verified version of the schema.
    private var schemaCookie: Int64 = 0

    private static let nextSerial = Atomic<UInt64>(0)

    private init(
        _ connection: SQLiteConnection, _ schema: Schema, lockTimeout: Duration, isInMemory: Bool
    ) {
        self.connection = connection
        self.schema = schema
        self.lockTimeout = lockTimeout
        self.isInMemory = isInMemory
    }

    var isUsable: Bool { !connection.isBroken }
    var wasLost: Bool { false }
    /// Unlimited, because rows are read one by one.
    var pageSize: Int { .max }
    var isInTransaction: Bool { connection.isInTransaction }

    func begin(_ kind: TransactionKind) throws -> Bool {
        if kind == .reading || isInMemory {
            try connection.begin(kind == .reading ? .deferred : .immediate)
            return true
        }
        do {
            try connection.begin(.immediate)
            // Check under the lock: a program that replaces a file holds this lock meanwhile.
            guard try isCurrent() else {
                rollback()
                return false
            }
            try requireVerifiedSchema()
            return true
        } catch {
            // SQLite reports a deleted file by several errors.
            let isDeleted = (try? isCurrent()) == false
            rollback()
            if isDeleted { return false }
            throw error
        }
    }

    func commit(_ isCommitted: CommitCheck?) throws {
        try connection.requireUninterrupted()
        try connection.commit()
    }

    func rollback() {
        do {
            try connection.rollback()
        } catch {
            // Close immediately: the connection's lock blocks other users.
            close()
        }
    }

    func forEachRow(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Void
    ) throws {
        let statement = try statement(sql.sqlite)
        try statement.bind(values)
        let row = statement.row
        while try statement.step() { try read(row) }
    }

    func change(_ sql: SQL, _ values: [DatabaseValue], erasing isErasing: Bool) throws -> Int {
        if isErasing { return try change(sql, values) }
        // Freed pages are neither read nor overwritten.
        try connection.run(script: "PRAGMA secure_delete = FAST")
        let changed = Result { try change(sql, values) }
        try connection.run(script: "PRAGMA secure_delete = ON")
        return try changed.get()
    }

    private func change(_ sql: SQL, _ values: [DatabaseValue]) throws -> Int {
        try statement(sql.sqlite).finish(values)
        return connection.changedRows
    }

    private func statement(_ text: SQL.Text) throws -> SQLiteStatement {
        try connection.requireUninterrupted()
        return switch text {
        case .literal(let sql): try connection.statement(sql)
        case .constant(let sql): try connection.statement(constant: sql)
        case .assembled(let sql): try connection.statement(assembled: sql)
        }
    }

    func isCurrent() throws -> Bool {
        try isInMemory || !connection.hasMoved()
    }

    func dataVersion() throws -> DataVersion? {
        DataVersion(connection: serial, number: try connection.dataVersion())
    }

    func leaveWALMode() throws -> Bool {
        try isInMemory || connection.setJournalMode(.rollback)
    }

    func isWellFormed() throws -> Bool { try connection.isSound() }

    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, lockTimeout timeout: Duration
    ) throws -> Bool? {
        if isInMemory { return true }
        try connection.setLockTimeout(timeout)
        defer { try? connection.setLockTimeout(lockTimeout) }
        if isRewriting { try connection.rewrite() }
        for _ in 0..<attempts where try connection.truncateLog() { return true }
        return false
    }

    func returnSpace() throws -> Bool {
        guard try !isInMemory && begin(.writing) else { return false }
        do {
            let isMore = try connection.vacuum(pages: 1_024)
            try commit(nil)
            return isMore
        } catch {
            rollback()
            throw error
        }
    }

    func close() {
        connection.close()
        connection.isBroken = true
    }

    /// Verifies the schema again if it changed: a trigger could act on the next write, and a newer program may have migrated the file. Call
    /// it inside a transaction.
    private func requireVerifiedSchema() throws {
        guard try connection.schemaCookie() != schemaCookie else { return }
        do {
            try verify()
        } catch {
            connection.isBroken = true
            throw error
        }
    }

    /// Requires a file of this kind and of the newest version, with exactly the known tables and indexes.
    private func verify() throws {
        let isKnown = try hasKnownEntries()
        if try connection.applicationID() != schema.applicationID {
            throw DatabaseError.foreign(reason: "not a \(schema.noun) file")
        }
        try schema.requireNewest(try connection.version(of: schema))
        if !isKnown { throw schema.foreignTables }
        schemaCookie = try connection.schemaCookie()
    }

    private func hasKnownEntries() throws -> Bool {
        let statement = try connection.statement(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        let row = statement.row
        for entry in schema.entries {
            guard try statement.step() else { return false }
            for (column, expected) in [entry.type, entry.name, entry.table, entry.sqlite]
                .enumerated()
            {
                // SQLite's automatic indexes have no text, and these files have no such index.
                if row.isNull(Int32(column)) { return false }
                if try row.textBytes(Int32(column)) != Array(expected.utf8) { return false }
            }
        }
        return try !statement.step()
    }
}

extension SQLiteDatabase {
    /// The maximum size of a row, in bytes. Values end at 1 MiB and attributes at 64 KiB, so valid rows are far smaller.
    private static var maximumLength: Int32 { 4 * 1_024 * 1_024 }

    /// Creates a database in memory, with empty tables.
    static func inMemory(_ schema: Schema) throws -> SQLiteDatabase {
        let connection = try SQLiteConnection(
            path: ":memory:", options: SQLiteOptions(access: .create))
        return try verified(
            connection, schema, lockTimeout: .zero, isInMemory: true, migrating: true)
    }

    /// Opens or creates a file.
    static func connect(
        _ path: String, _ schema: Schema, _ options: DatabaseOptions, _ creation: TableCreation
    ) throws -> SQLiteDatabase {
        let location = try VaultLocation(path: path)
        do {
            switch creation {
            case .new: return try create(location, schema, options)
            case .missing where try location.checkFiles() == nil:
                try install(at: location, schema, options)
            case .missing, .nothing: break
            }
            do {
                return try open(location, schema, options)
            } catch DatabaseError.full where options.mode == .readOnly {
                do {
                    // On a full disk SQLite cannot create its shared memory file. A reader with exclusive access does not need one.
                    return try open(location, schema, options, isExclusive: true)
                } catch DatabaseError.full {
                    // Not even an empty log can be created, so no process can write.
                    return try open(location, schema, options, isImmutable: true)
                }
            }
        } catch {
            throw DatabaseError(translating: error)
        }
    }

    private static func open(
        _ location: VaultLocation, _ schema: Schema, _ options: DatabaseOptions,
        isExclusive: Bool = false, isImmutable: Bool = false
    ) throws -> SQLiteDatabase {
        guard let file = try location.checkFiles() else { throw DatabaseError.notFound }
        if file.isEmpty { throw DatabaseError.foreign(reason: "the file is empty") }
        let isWriting = options.mode == .readWrite
        do {
            let connection = try connect(
                to: location, expecting: file.identity,
                SQLiteOptions(
                    access: isImmutable && !file.hasPendingLog
                        ? .readOnlyImmutable : try access(to: file, options.mode),
                    refusesChanges: !isWriting,
                    isExclusive: isExclusive, lockTimeout: options.lockTimeout,
                    maximumLength: maximumLength, interruption: options.interruption))
            let database = try verified(
                connection, schema, lockTimeout: options.lockTimeout, isInMemory: false,
                migrating: isWriting && isOlder(connection, schema))
            if isWriting { try database.enableWAL() }
            return database
        } catch DatabaseError.notFound {
            guard try location.checkFiles() != nil else { throw DatabaseError.notFound }
            // The file exists, but SQLite cannot create the files for reading the log: permission is missing, or no inode is free.
            throw file.isWritable ? DatabaseError.full : .readOnly
        }
    }

    private static func isOlder(_ connection: SQLiteConnection, _ schema: Schema) throws -> Bool {
        // Leave any other file unchanged; ``verify()`` reports its error.
        let version = try connection.version(of: schema)
        return try connection.applicationID() == schema.applicationID && version > 0
            && version < schema.newestVersion
    }

    private static func access(
        to file: VaultLocation.CheckedFile, _ mode: StorageMode
    ) throws -> SQLiteOptions.Access {
        switch (mode, file.isWritable) {
        case (.readWrite, true): .readWrite
        case (.readWrite, false): throw DatabaseError.readOnly
        // A reader with write permission can checkpoint the log as its last user, and leaves no files behind.
        case (.readOnly, true): .readWrite
        // Without a log the file is not in use, and SQLite could not create its files beside it.
        case (.readOnly, false): file.hasPendingLog ? .readOnly : .readOnlyImmutable
        }
    }

    /// Creates a file without rows. After a failure, no file is left.
    private static func create(
        _ location: VaultLocation, _ schema: Schema, _ options: DatabaseOptions
    ) throws -> SQLiteDatabase {
        let folder = try FileDescriptor(folder: location.folder)
        if try FileStatus.of(location.name, in: folder) != nil { throw DatabaseError.alreadyExists }
        try location.requireNoCompanions(in: folder)
        let identity = try folder.createFile(location.name)
        do {
            let connection = try connect(
                to: location, expecting: identity,
                SQLiteOptions(
                    access: .readWrite, lockTimeout: options.lockTimeout,
                    maximumLength: maximumLength, interruption: options.interruption))
            let database = try verified(
                connection, schema, lockTimeout: options.lockTimeout, isInMemory: false,
                migrating: true)
            try database.enableWAL()
            try folder.sync()
            return database
        } catch {
            for suffix in [""] + VaultLocation.companionSuffixes {
                _ = unsafe unlinkat(folder.number, location.name + suffix, 0)
            }
            throw error
        }
    }

    /// Creates a file that appears under its name when it is complete. If two processes do so concurrently, the second uses the first's
    /// file.
    private static func install(
        at location: VaultLocation, _ schema: Schema, _ options: DatabaseOptions
    ) throws {
        let name = VaultLocation.temporaryName()
        try create(VaultLocation(folder: location.folder, name: name), schema, options).close()
        let folder = try FileDescriptor(folder: location.folder)
        do {
            try location.requireNoCompanions(in: folder)
            try folder.rename(name, to: location.name)
        } catch {
            _ = unsafe unlinkat(folder.number, name, 0)
            // Another process was faster, and may already have a log beside the file.
            if try FileStatus.of(location.name, in: folder) == nil { throw error }
        }
        try folder.sync()
    }

    /// Opens a connection, and verifies that it opened the checked file.
    private static func connect(
        to location: VaultLocation, expecting identity: FileIdentity, _ options: SQLiteOptions
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: location.path, options: options)
        // SQLite opened the path, and the path still names the checked file. SQLite does not report which file it opened, so an attacker
        // would have to exchange files between the two checks, every time.
        for _ in 0..<3 {
            guard try !connection.hasMoved(), try location.checkFiles()?.identity == identity else {
                throw DatabaseError.unsafeLocation(
                    path: location.path, reason: "replaced while it was opened")
            }
        }
        return connection
    }

    /// Migrates the tables to the newest version if requested, and verifies them in one snapshot.
    private static func verified(
        _ connection: SQLiteConnection, _ schema: Schema, lockTimeout: Duration, isInMemory: Bool,
        migrating: Bool
    ) throws -> SQLiteDatabase {
        if migrating {
            // Both take effect only in a file without tables.
            try connection.run(script: "PRAGMA page_size = \(schema.pageSize)")
            if schema.returnsSpace {
                try connection.run(script: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            try connection.migrate(schema)
        }
        let database = SQLiteDatabase(
            connection, schema, lockTimeout: lockTimeout, isInMemory: isInMemory)
        try connection.begin(.deferred)
        defer { database.rollback() }
        try database.verify()
        return database
    }

    /// Enables the write-ahead log, a persistent setting of the file.
    ///
    /// Several processes may do so concurrently in a new file. SQLite does not make them wait for each other, because each has a read lock.
    /// So this function serialises them.
    private func enableWAL() throws {
        let deadline = BootTime.now + lockTimeout
        while true {
            do {
                // A file system without shared memory keeps another mode.
                guard try connection.setJournalMode(.writeAheadLog) else {
                    throw DatabaseError.inputOutput(operation: "write-ahead log", code: 0)
                }
                return
            } catch DatabaseError.busy where BootTime.now < deadline {
                usleep(UInt32.random(in: 500...5_000))
            }
        }
    }
}

extension SQLiteConnection: MigratingConnection {
    /// Reads `PRAGMA user_version`; 0 in a new database.
    func version(of schema: Schema) throws -> Int64 { try number("PRAGMA user_version") }

    func beginMigration(of schema: Schema) throws { try begin(.immediate) }

    func run(_ migration: Schema.Migration) throws { try run(script: migration.sqlite) }

    func setVersion(_ version: Int64, of schema: Schema) throws {
        try run(
            script:
                "PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(version)")
    }

    func commitMigration() throws { try commit() }

    /// If the rollback fails, closing the connection rolls back.
    func abandonMigration() { try? rollback() }
}

extension SQLiteConnection {
    /// The application id of the file, `PRAGMA application_id`; 0 in a new database.
    func applicationID() throws -> Int32 {
        Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
    }

    /// A number that changes with the schema, `PRAGMA schema_version`.
    func schemaCookie() throws -> Int64 {
        try number("PRAGMA schema_version")
    }

    private func number(_ sql: StaticString) throws -> Int64 {
        let statement = try statement(sql)
        guard try statement.step() else { return 0 }
        return try statement.row.integer(0)
    }
}
