internal import CSQLite
internal import Platform
internal import Synchronization

/// A database file that passed every check of place, kind, version and tables; or one in memory.
///
/// The file is opened as if it were hostile. See ``Database``.
final class SQLiteDatabase: Database {
    let connection: SQLiteConnection
    private let schema: Schema
    private let lockTimeout: Duration
    private let isInMemory: Bool
    /// Tells this connection from all others of the process.
    private let serial = nextSerial.wrappingAdd(1, ordering: .relaxed).newValue
    /// The state of the schema that was verified.
    private var schemaCookie: Int64 = 0
    /// Whether a failure made the connection unfit for further use.
    private var isBroken = false

    private static let nextSerial = Atomic<UInt64>(0)

    private init(
        _ connection: SQLiteConnection, _ schema: Schema, lockTimeout: Duration, isInMemory: Bool
    ) {
        self.connection = connection
        self.schema = schema
        self.lockTimeout = lockTimeout
        self.isInMemory = isInMemory
    }

    var isUsable: Bool { !isBroken }
    var wasLost: Bool { false }
    var isInTransaction: Bool { connection.isInTransaction }

    func begin(_ kind: TransactionKind) throws -> Bool {
        if kind == .reading || isInMemory {
            try perform { try connection.begin(kind == .reading ? .deferred : .immediate) }
            return true
        }
        do {
            try perform { try connection.begin(.immediate) }
            // With the lock in hand: a program that replaces a file under its lock is done, or has not begun.
            guard try isCurrent() else {
                rollback()
                return false
            }
            try requireVerifiedSchema()
            return true
        } catch {
            rollback()
            // SQLite fails in several ways when its file is gone.
            if try !isCurrent() { return false }
            throw error
        }
    }

    func commit() throws {
        try perform { try connection.commit() }
    }

    func rollback() {
        do {
            try connection.rollback()
        } catch {
            // The transaction goes with the connection, at once: its lock keeps others waiting.
            close()
        }
    }

    func rows<Value>(
        _ sql: SQL, _ values: [DatabaseValue], _ read: (any Row) throws -> Value
    ) throws -> [Value] {
        try perform {
            let statement = try statement(sql.sqlite, values)
            let row = statement.row
            var found: [Value] = []
            while try statement.step() { found.append(try read(row)) }
            return found
        }
    }

    func change(_ sql: SQL, _ values: [DatabaseValue]) throws -> Int {
        try perform {
            let statement = try statement(sql.sqlite, values)
            while try statement.step() {}
            return connection.changedRows
        }
    }

    private func statement(
        _ text: SQL.Text, _ values: [DatabaseValue]
    ) throws -> SQLiteStatement {
        let statement =
            switch text {
            case .literal(let sql): try connection.statement(sql)
            case .assembled(let sql): try connection.statement(assembled: sql)
            }
        try statement.bind(values)
        return statement
    }

    func isCurrent() throws -> Bool {
        try isInMemory || perform { try !connection.hasMoved() }
    }

    func dataVersion() throws -> DataVersion? {
        DataVersion(connection: serial, number: try perform { try connection.dataVersion() })
    }

    func leaveLog() throws -> Bool {
        try isInMemory || perform { try connection.setJournalMode(.rollback) }
    }

    func eraseOldBytes(
        rewriting isRewriting: Bool, attempts: Int, patience: Duration
    ) throws -> Bool? {
        if isInMemory { return true }
        return try perform {
            try connection.setBusyTimeout(patience)
            defer { try? connection.setBusyTimeout(lockTimeout) }
            if isRewriting { try connection.rewrite() }
            for _ in 0..<attempts where try connection.truncateLog() { return true }
            return false
        }
    }

    func close() {
        connection.close()
        isBroken = true
    }

    /// Runs calls of SQLite: the one place where its errors are translated.
    ///
    /// A failure that leaves the connection's state in doubt ends it.
    func perform<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            if error.endsConnection { isBroken = true }
            throw DatabaseError(error)
        }
    }

    /// Looks at the schema again if anybody changed it since: a trigger could act on the next write, and a newer program may have migrated
    /// the file. To be called inside a transaction.
    private func requireVerifiedSchema() throws {
        guard try perform({ try connection.schemaCookie() }) != schemaCookie else { return }
        do {
            try verify()
        } catch {
            isBroken = true
            throw error
        }
    }

    /// Makes sure that the file is of this kind and the newest version, with the known tables and indexes and nothing else.
    private func verify() throws {
        let (applicationID, version, isKnown, cookie) = try perform {
            (
                try connection.applicationID(), try connection.schemaVersion(),
                try hasKnownEntries(), try connection.schemaCookie()
            )
        }
        if applicationID != schema.applicationID {
            throw DatabaseError.foreign(reason: "not a \(schema.noun) file")
        }
        try schema.requireNewest(Int64(version))
        if !isKnown { throw schema.isOfAnother }
        schemaCookie = cookie
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
                // Indexes that SQLite makes by itself have no text; these files have none of them.
                if row.isNull(Int32(column)) { return false }
                if try row.textBytes(Int32(column)) != Array(expected.utf8) { return false }
            }
        }
        return try !statement.step()
    }
}

extension SQLiteDatabase {
    /// No row is near to this size in bytes: values end at 1 MiB, attributes at 64 KiB.
    private static var maximumLength: Int32 { 4 * 1_024 * 1_024 }

    /// A database in memory, with tables and without rows.
    static func inMemory(_ schema: Schema) throws -> SQLiteDatabase {
        do {
            let connection = try SQLiteConnection(
                path: ":memory:", options: SQLiteOptions(access: .create))
            return try verified(
                connection, schema, lockTimeout: .zero, isInMemory: true, migrating: true)
        } catch let error as SQLiteError {
            throw DatabaseError(error)
        }
    }

    /// Opens or makes a file.
    static func connect(
        _ path: String, _ schema: Schema, _ options: DatabaseOptions, _ making: Making
    ) throws -> SQLiteDatabase {
        let location = try VaultLocation(path: path)
        do {
            switch making {
            case .new: return try create(location, schema, options)
            case .missing where try location.checkFiles() == nil:
                try install(at: location, schema, options)
            case .missing, .nothing: break
            }
            do {
                return try open(location, schema, options, isAlone: false)
            } catch DatabaseError.full where options.mode == .readOnly {
                // On a full disk SQLite cannot make its shared memory. A reader that has the file to itself does without.
                return try open(location, schema, options, isAlone: true)
            }
        } catch let error as SQLiteError {
            throw DatabaseError(error)
        }
    }

    private static func open(
        _ location: VaultLocation, _ schema: Schema, _ options: DatabaseOptions, isAlone: Bool
    ) throws -> SQLiteDatabase {
        guard let file = try location.checkFiles() else { throw DatabaseError.notFound }
        if file.isEmpty { throw DatabaseError.foreign(reason: "the file is empty") }
        let isWriting = options.mode == .readWrite
        do {
            let connection = try connect(
                to: location, expecting: file.identity,
                SQLiteOptions(
                    access: try access(to: file, options.mode), refusesChanges: !isWriting,
                    isAlone: isAlone, busyTimeout: options.lockTimeout,
                    maximumLength: maximumLength))
            let database = try verified(
                connection, schema, lockTimeout: options.lockTimeout, isInMemory: false,
                migrating: isWriting && isOlder(connection, schema))
            if isWriting { try database.useLog() }
            return database
        } catch {
            let error = (error as? SQLiteError).map(DatabaseError.init) ?? error
            // The file is there: what SQLite misses is what it would have to make to read the log.
            if !file.isWritable, case DatabaseError.notFound = error {
                throw DatabaseError.readOnly
            }
            throw error
        }
    }

    private static func isOlder(_ connection: SQLiteConnection, _ schema: Schema) throws -> Bool {
        // Any other file is left as it is: ``verify()`` says what is wrong with it.
        let version = Int64(try connection.schemaVersion())
        return try connection.applicationID() == schema.applicationID && version > 0
            && version < schema.newestVersion
    }

    private static func access(
        to file: VaultLocation.CheckedFile, _ mode: StorageMode
    ) throws -> SQLiteOptions.Access {
        switch (mode, file.isWritable) {
        case (.readWrite, true): .readWrite
        case (.readWrite, false): throw DatabaseError.readOnly
        // A reader who may write the file does what the last user of a log has to do, and leaves nothing behind.
        case (.readOnly, true): .readWrite
        // Without a log nobody is using the file, and SQLite could not make what it needs beside it.
        case (.readOnly, false): file.hasPendingLog ? .readOnly : .readOnlyImmutable
        }
    }

    /// Makes a file without rows. After a failure nothing is left there.
    private static func create(
        _ location: VaultLocation, _ schema: Schema, _ options: DatabaseOptions
    ) throws -> SQLiteDatabase {
        let folder = try FileDescriptor(folder: location.folder)
        if try FileStatus.of(location.name, in: folder) != nil { throw DatabaseError.alreadyExists }
        try location.requireNoCompanions(in: folder)
        let identity = try folder.makeFile(location.name)
        do {
            let connection = try connect(
                to: location, expecting: identity,
                SQLiteOptions(
                    access: .readWrite, busyTimeout: options.lockTimeout,
                    maximumLength: maximumLength))
            let database = try verified(
                connection, schema, lockTimeout: options.lockTimeout, isInMemory: false,
                migrating: true)
            try database.useLog()
            try folder.sync()
            return database
        } catch {
            for suffix in [""] + VaultLocation.companionSuffixes {
                _ = unsafe unlinkat(folder.number, location.name + suffix, 0)
            }
            throw error
        }
    }

    /// Makes a file that appears under its name when it is complete. Of two processes that do so at once, the second finds the first's.
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
            // Another process was faster, and may have a log beside it already.
            if try FileStatus.of(location.name, in: folder) == nil { throw error }
        }
        try folder.sync()
    }

    /// Opens a connection, and makes sure that it opened the file that was checked.
    private static func connect(
        to location: VaultLocation, expecting identity: FileIdentity, _ options: SQLiteOptions
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: location.path, options: options)
        // SQLite has the file that the path names, and the path still names the one that was checked. These are two looks, because SQLite
        // does not tell which file it has: an attacker would have to exchange files between them each time.
        for _ in 0..<3 {
            guard try !connection.hasMoved(), try location.checkFiles()?.identity == identity else {
                throw DatabaseError.unsafeLocation(
                    path: location.path, reason: "replaced while it was opened")
            }
        }
        return connection
    }

    /// Brings the tables to the newest version if wanted, and verifies them as one snapshot.
    private static func verified(
        _ connection: SQLiteConnection, _ schema: Schema, lockTimeout: Duration, isInMemory: Bool,
        migrating: Bool
    ) throws -> SQLiteDatabase {
        if migrating { try connection.migrate(schema) }
        let database = SQLiteDatabase(
            connection, schema, lockTimeout: lockTimeout, isInMemory: isInMemory)
        try connection.begin(.deferred)
        defer { database.rollback() }
        try database.verify()
        return database
    }

    /// Turns on the write-ahead log, which stays on in the file.
    ///
    /// Several processes may do so at once in a new file. SQLite lets none of them wait for the others, because each has read already, so
    /// they take turns here.
    private func useLog() throws {
        let deadline = ContinuousClock.now + lockTimeout
        while true {
            do {
                // A file system without shared memory stays in another mode.
                guard try connection.setJournalMode(.writeAheadLog) else {
                    throw DatabaseError.inputOutput(operation: "write-ahead log", code: 0)
                }
                return
            } catch let error as SQLiteError
                where DatabaseError(error) == .busy && ContinuousClock.now < deadline
            {
                usleep(UInt32.random(in: 500...5_000))
            }
        }
    }
}

extension SQLiteConnection: MigratingConnection {
    func version(of schema: Schema) throws -> Int64 { Int64(try schemaVersion()) }

    func beginMigration(of schema: Schema) throws { try begin(.immediate) }

    func run(_ migration: Schema.Migration) throws { try run(script: migration.sqlite) }

    func setVersion(_ version: Int64, of schema: Schema) throws {
        try run(
            script:
                "PRAGMA application_id = \(schema.applicationID); PRAGMA user_version = \(version)")
    }

    func commitMigration() throws { try commit() }

    /// A connection that cannot roll back does so when it is closed.
    func abandonMigration() { try? rollback() }
}

extension SQLiteConnection {
    /// The version of the schema, `PRAGMA user_version`; 0 in a new database.
    func schemaVersion() throws -> Int32 {
        Int32(truncatingIfNeeded: try number("PRAGMA user_version"))
    }

    /// The mark of the kind of file, `PRAGMA application_id`; 0 in a new database.
    func applicationID() throws -> Int32 {
        Int32(truncatingIfNeeded: try number("PRAGMA application_id"))
    }

    /// A number that changes whenever the schema does, `PRAGMA schema_version`.
    func schemaCookie() throws -> Int64 {
        try number("PRAGMA schema_version")
    }

    private func number(_ sql: StaticString) throws -> Int64 {
        let statement = try statement(sql)
        guard try statement.step() else { return 0 }
        return try statement.row.integer(0)
    }
}
