internal import Database
internal import Platform

extension SafeDatabase {
    /// No row is near to this size in bytes: values end at 1 MiB, attributes at 64 KiB.
    private static var maximumLength: Int32 { 4 * 1_024 * 1_024 }

    /// Opens an existing file after all checks of place, kind, version and schema.
    static func open(
        _ location: VaultLocation, mode: StorageMode, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabase {
        do throws(DatabaseError) {
            return try open(location, mode: mode, isAlone: false, busyTimeout: busyTimeout)
        } catch .full where mode == .readOnly {
            // On a full disk SQLite cannot make its shared memory. A reader that has the file to itself does without.
            return try open(location, mode: mode, isAlone: true, busyTimeout: busyTimeout)
        }
    }

    private static func open(
        _ location: VaultLocation, mode: StorageMode, isAlone: Bool,
        busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabase {
        guard let file = try location.checkFiles() else { throw .notFound }
        if file.isEmpty { throw .foreign(reason: "the file is empty") }
        var options = try options(for: file, mode: mode, busyTimeout: busyTimeout)
        options.isAlone = isAlone
        do throws(DatabaseError) {
            let connection = try connect(to: location, expecting: file.identity, options: options)
            if mode == .readWrite { try Kind.file.migrate(connection, isNew: false) }
            let database = try verify(connection)
            if mode == .readWrite { try database.useLog(patience: busyTimeout) }
            return database
        } catch .notFound where !file.isWritable {
            // The file is there: what SQLite misses is what it would have to make to read the log.
            throw .readOnly
        }
    }

    /// Makes a file without rows.
    ///
    /// - Throws: ``DatabaseError/alreadyExists`` if there is something at the path. After another failure nothing is left there.
    static func create(
        _ location: VaultLocation, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabase {
        let folder = try FileDescriptor(folder: location.folder)
        if try FileStatus.of(location.name, in: folder) != nil { throw .alreadyExists }
        try location.requireNoCompanions(in: folder)
        let identity = try folder.makeFile(location.name)
        do throws(DatabaseError) {
            let options = SQLiteOptions(
                access: .readWrite, busyTimeout: busyTimeout, maximumLength: maximumLength)
            let connection = try connect(to: location, expecting: identity, options: options)
            try Kind.file.migrate(connection, isNew: true)
            let database = try verify(connection)
            try database.useLog(patience: busyTimeout)
            try folder.sync()
            return database
        } catch {
            for suffix in [""] + VaultLocation.companionSuffixes {
                _ = unsafe unlinkat(folder.number, location.name + suffix, 0)
            }
            throw error
        }
    }

    /// Opens a file, and makes it first where there is none.
    ///
    /// It appears under its name when it is complete. Of two processes that make it at once, the second opens what the first made.
    static func openOrCreate(
        _ location: VaultLocation, busyTimeout: Duration
    ) throws(DatabaseError) -> SafeDatabase {
        if try location.checkFiles() == nil { try install(at: location, busyTimeout: busyTimeout) }
        return try open(location, mode: .readWrite, busyTimeout: busyTimeout)
    }

    private static func install(
        at location: VaultLocation, busyTimeout: Duration
    ) throws(DatabaseError) {
        let name = VaultLocation.temporaryName()
        let staged = VaultLocation(folder: location.folder, name: name)
        try create(staged, busyTimeout: busyTimeout).connection.close()
        let folder = try FileDescriptor(folder: location.folder)
        do throws(DatabaseError) {
            try location.requireNoCompanions(in: folder)
            try folder.rename(name, to: location.name)
        } catch {
            _ = unsafe unlinkat(folder.number, name, 0)
            // Somebody else was faster, and may have a log beside it already.
            if try FileStatus.of(location.name, in: folder) == nil { throw error }
        }
        try folder.sync()
    }

    private static func options(
        for file: VaultLocation.CheckedFile, mode: StorageMode, busyTimeout: Duration
    ) throws(DatabaseError) -> SQLiteOptions {
        let access: SQLiteOptions.Access
        switch (mode, file.isWritable) {
        case (.readWrite, true): access = .readWrite
        case (.readWrite, false): throw .readOnly
        // A reader who may write the file does what the last user of a log has to do, and leaves nothing behind.
        case (.readOnly, true): access = .readWrite
        // Without a log nobody is using the file, and SQLite could not make what it needs beside it.
        case (.readOnly, false): access = file.hasPendingLog ? .readOnly : .readOnlyImmutable
        }
        return SQLiteOptions(
            access: access, refusesChanges: mode == .readOnly, busyTimeout: busyTimeout,
            maximumLength: maximumLength)
    }

    /// Opens a connection, and makes sure that it opened the file that was checked.
    private static func connect(
        to location: VaultLocation, expecting identity: FileIdentity, options: SQLiteOptions
    ) throws(DatabaseError) -> SQLiteConnection {
        let connection: SQLiteConnection
        do {
            connection = try SQLiteConnection(path: location.path, options: options)
        } catch {
            throw DatabaseError(error)
        }
        // SQLite has the file that the path names, and the path still names the one that was checked. These are two looks, because SQLite
        // does not tell which file it has: whoever exchanges files between them would have to do so each time.
        for _ in 0..<3 {
            let hasMoved: Bool
            do {
                hasMoved = try connection.hasMoved()
            } catch {
                throw DatabaseError(error)
            }
            guard !hasMoved, try location.checkFiles()?.identity == identity else {
                throw .unsafeLocation(path: location.path, reason: "replaced while it was opened")
            }
        }
        return connection
    }

    /// Verifies the schema, as one snapshot.
    static func verify(
        _ connection: SQLiteConnection
    ) throws(DatabaseError) -> SafeDatabase {
        let database = SafeDatabase(connection)
        try database.perform { (connection) throws(SQLiteError) in
            try connection.begin(.deferred)
        }
        defer { database.rollback() }
        database.schemaCookie = try Kind.file.verify(connection)
        return database
    }

    /// Turns on the write-ahead log, which stays on in the file.
    ///
    /// Several processes may do so at once in a new file. SQLite lets none of them wait for the others, because each has read already, so
    /// that they take turns here.
    private func useLog(patience: Duration) throws(DatabaseError) {
        let deadline = ContinuousClock.now + patience
        var isOn = false
        while true {
            do throws(DatabaseError) {
                isOn = try perform { (connection) throws(SQLiteError) in
                    try connection.setJournalMode(.writeAheadLog)
                }
                break
            } catch .busy where ContinuousClock.now < deadline {
                usleep(UInt32.random(in: 500...5_000))
            }
        }
        // A file system without shared memory.
        guard isOn else { throw .inputOutput(operation: "write-ahead log", code: 0) }
    }
}
