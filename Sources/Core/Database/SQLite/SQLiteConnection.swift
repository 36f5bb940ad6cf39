internal import CSQLite

/// A connection to one SQLite database file, opened as untrusted.
///
/// Not thread-safe: protect a shared connection with a lock. Several connections to one file, in one or more processes, are allowed.
@safe public final class SQLiteConnection {
    private(set) var handle: OpaquePointer?
    /// Whether a failure made the connection unusable.
    var isBroken = false
    let interruption: Interruption
    /// The context of SQLite's busy handler.
    var lockWait: LockWait?
    /// Prepared statements by the address of their SQL: that of a literal is fixed, and a statement keeps its ``ConstantText``.
    private var statements: [UInt: PreparedStatement] = [:]

    /// Opens the file at `path`; symbolic links in any component of the path are rejected.
    ///
    /// Reads only the part of the file that the settings need, and changes nothing. The corresponding C function is `sqlite3_open_v2`.
    public init(path: String, options: SQLiteOptions) throws {
        interruption = options.interruption
        var handle: OpaquePointer?
        let immutable = options.access == .readOnlyImmutable
        let result = unsafe sqlite3_open_v2(
            immutable ? Self.immutableAddress(of: path) : path, &handle,
            Self.flags(for: options.access), nil)
        unsafe self.handle = unsafe handle
        guard result == SQLITE_OK else {
            let error = failure(result, "open")
            // SQLite returns a connection even if it could not open the file.
            unsafe sqlite3_close_v2(handle)
            unsafe self.handle = nil
            throw error
        }
        registerForInterruption()
        try configure(options)
    }

    deinit {
        close()
    }

    /// Closes the connection. The last connection to a file checkpoints the log and removes it.
    ///
    /// Later calls fail with ``DatabaseError/closed``; a second call does nothing. If a caller still has statements, the connection closes
    /// with the last of them. The corresponding C function is `sqlite3_close_v2`.
    public func close() {
        statements.removeAll()
        // Another thread must not interrupt a closed connection.
        interruption.forget(self)
        guard let handle = unsafe handle else { return }
        // A pending interruption would prevent the checkpoint; the next statement clears it.
        if interruption.hasHappened { unsafe sqlite3_exec(handle, "SELECT 1", nil, nil, nil) }
        // A caller's statement may outlive this object, which is the context of the busy handler.
        unsafe sqlite3_busy_handler(handle, nil, nil)
        unsafe sqlite3_close_v2(handle)
        unsafe self.handle = nil
    }

    /// The corresponding C function is `sqlite3_interrupt`, which ends the running statement.
    private func registerForInterruption() {
        nonisolated(unsafe) let handle = unsafe handle
        interruption.register(self) { unsafe sqlite3_interrupt(handle) }
    }

    /// Rejects calls after an interruption, because SQLite forgets an interruption when no statement is running.
    func requireUninterrupted() throws {
        if interruption.hasHappened { throw DatabaseError.closed }
    }

    /// Returns a prepared statement, ready to be bound and stepped. It is prepared once and then reused.
    ///
    /// - Parameter sql: One statement, a literal.
    /// - Returns: The run, which resets the statement when it ends.
    /// - Throws: ``DatabaseError`` if the statement does not match the schema, or the database cannot be read.
    public func statement(_ sql: StaticString) throws -> SQLiteStatement {
        try statement(UInt(bitPattern: unsafe sql.utf8Start)) {
            try PreparedStatement(sql, on: self)
        }
    }

    /// The same for a constant text.
    func statement(constant sql: ConstantText) throws -> SQLiteStatement {
        try statement(UInt(bitPattern: ObjectIdentifier(sql))) {
            try PreparedStatement(constant: sql, on: self)
        }
    }

    private func statement(
        _ key: UInt, _ prepare: () throws -> PreparedStatement
    ) throws -> SQLiteStatement {
        if let prepared = statements[key], !prepared.isInUse { return SQLiteStatement(prepared) }
        let prepared = try prepare()
        // If the statement is in use, as in nested loops, do not keep the second copy.
        if statements[key] == nil { statements[key] = prepared }
        return SQLiteStatement(prepared)
    }

    /// Prepares a statement for one run.
    ///
    /// - Parameter sql: One statement, assembled from the program's own literals; never text from outside.
    /// - Returns: The run.
    /// - Throws: As ``statement(_:)``.
    public func statement(assembled sql: String) throws -> SQLiteStatement {
        SQLiteStatement(try PreparedStatement(assembled: sql, on: self))
    }

    /// Runs a prepared statement without parameters to its end, and ignores its rows.
    public func execute(_ sql: StaticString) throws {
        let statement = try statement(sql)
        while try statement.step() {}
    }

    /// Runs statements in sequence without keeping them prepared, and ignores their rows.
    ///
    /// The SQL is the program's own, never text from outside. The corresponding C function is `sqlite3_exec`.
    public func run(script: String) throws {
        let result = unsafe sqlite3_exec(try open(), script, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result, "execute") }
    }

    /// The number of rows changed by the last insert, update or delete. The corresponding C function is `sqlite3_changes`.
    public var changedRows: Int {
        guard let handle = unsafe handle else { return 0 }
        return Int(unsafe sqlite3_changes(handle))
    }

    /// Whether the file itself is open for reading only. The corresponding C function is `sqlite3_db_readonly`.
    public var isReadOnly: Bool {
        guard let handle = unsafe handle else { return true }
        return unsafe sqlite3_db_readonly(handle, "main") != 0
    }

    /// Whether the path now names another file than the open one, or none.
    ///
    /// The corresponding C function is `sqlite3_file_control` with `SQLITE_FCNTL_HAS_MOVED`.
    public func hasMoved() throws -> Bool {
        var moved: Int32 = 0
        let result = unsafe sqlite3_file_control(
            try open(), "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        guard result == SQLITE_OK else { throw failure(result, "inspect") }
        return moved != 0
    }

    /// The handle; throws if the connection is closed.
    func open() throws -> OpaquePointer {
        guard let handle = unsafe handle else {
            throw DatabaseError.closed
        }
        return unsafe handle
    }
}
