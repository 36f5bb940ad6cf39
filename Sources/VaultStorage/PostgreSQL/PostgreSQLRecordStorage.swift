internal import PostgreSQLDatabase

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A vault in a database of a PostgreSQL server, which is trusted no more than a file.
///
/// For people with several machines: any number of them may read and write at once; writers take turns. The tables are those of the schema
/// `taskvault` whose names begin with `vault_`. Thread-safe: calls wait for one another. A call from inside the function that another call of
/// the same object runs never returns. A connection that was lost is opened again by the next call, with every check.
///
/// Unchecked, because the connection is used under the lock only, and a caller's results need not be sendable.
public final class PostgreSQLRecordStorage: RecordStorage, @unchecked Sendable {
    /// What a storage may do with its database.
    public typealias Mode = SQLiteRecordStorage.Mode

    let address: PostgreSQLAddress
    let mode: Mode
    let options: PostgreSQLOptions
    let lock = StorageLock()
    private var vault: PostgreSQLVault?
    private var isClosed = false

    private init(
        _ address: PostgreSQLAddress, mode: Mode, timeout: Duration, lockTimeout: Duration
    ) {
        self.address = address
        self.mode = mode
        self.options = PostgreSQLOptions(timeout: timeout, lockTimeout: lockTimeout)
    }

    /// Makes the tables of a vault, without records.
    ///
    /// - Parameters:
    ///   - address: The database, `postgresql://user@host/database`; never with a password, which is looked for in `~/.pgpass`.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for other writers.
    /// - Returns: The storage, for reading and writing.
    /// - Throws: ``StorageError/alreadyExists`` if there is a vault in the database, ``StorageError/foreign(reason:)`` if there are other tables
    ///   of the same names, ``StorageError/unreachable(reason:)`` if the address is not to be used or nobody answers there.
    public static func create(
        at address: String, timeout: Duration = .seconds(30), lockTimeout: Duration = .seconds(5)
    ) throws(StorageError) -> PostgreSQLRecordStorage {
        let storage = PostgreSQLRecordStorage(
            try PostgreSQLVault.address(address), mode: .readWrite, timeout: timeout,
            lockTimeout: lockTimeout)
        let vault = try PostgreSQLVault.create(storage.address, storage.options)
        // What somebody began and did not end is as good as nothing.
        guard try vault.isEmpty() else { throw .alreadyExists }
        storage.vault = vault
        return storage
    }

    /// Opens a vault.
    ///
    /// - Parameters:
    ///   - address: The database, `postgresql://user@host/database`; never with a password, which is looked for in `~/.pgpass`.
    ///   - mode: What may be done with it.
    ///   - timeout: How long the server may take to answer.
    ///   - lockTimeout: How long a call waits for other writers.
    /// - Returns: The storage.
    /// - Throws: ``StorageError/notFound`` if there is no vault in the database, ``StorageError/foreign(reason:)``,
    ///   ``StorageError/newerVersion(_:)`` for what is there instead, ``StorageError/unreachable(reason:)`` if the address is not to be used or
    ///   nobody answers there.
    public static func open(
        at address: String, mode: Mode, timeout: Duration = .seconds(30),
        lockTimeout: Duration = .seconds(5)
    ) throws(StorageError) -> PostgreSQLRecordStorage {
        let storage = PostgreSQLRecordStorage(
            try PostgreSQLVault.address(address), mode: mode, timeout: timeout,
            lockTimeout: lockTimeout)
        _ = try storage.reopen()
        return storage
    }

    /// Closes the storage.
    public func close() {
        lock.withLock {
            isClosed = true
            vault?.connection.close()
            vault = nil
        }
    }

    /// Nobody can know: servers keep rows that were replaced for a while, and logs and copies of them for longer.
    ///
    /// - Returns: nil.
    public func eraseOldBytes() throws(StorageError) -> Bool? {
        try lock.withLock { () throws(StorageError) in if isClosed { throw .closed } }
        return nil
    }

    /// Runs `body` with a connection, and once again with a new one if it turns out that the server ended the first.
    ///
    /// To be called with the lock held, and for what can be done twice.
    func withVault<Value>(
        _ body: (PostgreSQLVault) throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        if isClosed { throw .closed }
        guard let vault, vault.connection.isOpen else { return try body(try reopen()) }
        do throws(StorageError) {
            return try body(vault)
        } catch {
            guard vault.wasLost else { throw error }
            return try body(try reopen())
        }
    }

    /// As ``reopen()``, again and again for a while: a server that ended may be about to start.
    func reopen(patience: Duration) throws(StorageError) -> PostgreSQLVault {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(StorageError) {
                return try reopen()
            } catch {
                guard case .unreachable = error, ContinuousClock.now < deadline else { throw error }
                usleep(UInt32.random(in: 20_000...100_000))
            }
        }
    }

    /// Connects with every check. To be called with the lock held.
    func reopen() throws(StorageError) -> PostgreSQLVault {
        vault?.connection.close()
        vault = nil
        let opened = try PostgreSQLVault.open(address, mode: mode, options)
        vault = opened
        return opened
    }
}
