internal import CSQLite

/// A connection to one SQLite database file, opened as if the file were hostile.
///
/// Not thread-safe: whoever shares a connection puts a lock around it. Several connections to one file, in one process or more, are
/// fine.
@safe public final class SQLiteConnection {
    private(set) var handle: OpaquePointer?
    /// Prepared statements by the address of their SQL, which is a literal and so never moves.
    private var statements: [UInt: PreparedStatement] = [:]

    /// Opens the file at `path`, following no symbolic link in any part of it.
    ///
    /// Nothing is read from the file yet except what its settings need; nothing in it is changed. The corresponding C function is
    /// `sqlite3_open_v2`.
    public init(path: String, options: SQLiteOptions) throws {
        var handle: OpaquePointer?
        let immutable = options.access == .readOnlyImmutable
        let result = unsafe sqlite3_open_v2(
            immutable ? Self.immutableAddress(of: path) : path, &handle,
            Self.flags(for: options.access), nil)
        unsafe self.handle = unsafe handle
        guard result == SQLITE_OK else {
            let error = unsafe SQLiteError(result, on: handle, .open)
            // SQLite hands out a connection even when it could not open the file.
            unsafe sqlite3_close_v2(handle)
            unsafe self.handle = nil
            throw error
        }
        try configure(options)
    }

    deinit {
        close()
    }

    /// Closes the connection. The last one to a file moves the log into the file and removes it.
    ///
    /// Calls afterwards fail with ``SQLiteError/Code/misuse``; closing twice is allowed. Statements that a caller still has end the
    /// connection when they end. The corresponding C function is `sqlite3_close_v2`.
    public func close() {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// A prepared statement, ready to be bound and stepped; prepared once and then used again.
    ///
    /// - Parameter sql: One statement, a literal.
    /// - Returns: The run; it resets the statement when it ends.
    /// - Throws: `SQLiteError` if the statement does not fit the schema, or the database cannot be read.
    public func statement(_ sql: StaticString) throws -> SQLiteStatement {
        let key = UInt(bitPattern: unsafe sql.utf8Start)
        if let prepared = statements[key], !prepared.isLent { return SQLiteStatement(prepared) }
        let prepared = try PreparedStatement(sql, on: self)
        // Of a statement that is in use, as in a loop within a loop, the second copy is not kept.
        if statements[key] == nil { statements[key] = prepared }
        return SQLiteStatement(prepared)
    }

    /// A statement that is prepared for one run.
    ///
    /// - Parameter sql: One statement, assembled of the program's own literals; never text from outside.
    /// - Returns: The run.
    /// - Throws: As ``statement(_:)``.
    public func statement(assembled sql: String) throws -> SQLiteStatement {
        SQLiteStatement(try PreparedStatement(assembled: sql, on: self))
    }

    /// Runs a prepared statement without parameters to its end, ignoring its rows.
    public func execute(_ sql: StaticString) throws {
        let statement = try statement(sql)
        while try statement.step() {}
    }

    /// Runs statements that are not worth keeping, one after the other, ignoring their rows.
    ///
    /// The SQL is the program's own, never text from outside. The corresponding C function is `sqlite3_exec`.
    public func run(script: String) throws {
        let result = unsafe sqlite3_exec(try open(), script, nil, nil, nil)
        guard result == SQLITE_OK else { throw unsafe SQLiteError(result, on: handle, .execute) }
    }

    /// The number of rows that the last insert, update or delete changed. The corresponding C function is `sqlite3_changes`.
    public var changedRows: Int {
        guard let handle = unsafe handle else { return 0 }
        return Int(unsafe sqlite3_changes(handle))
    }

    /// Whether the file itself is open for reading only. The corresponding C function is `sqlite3_db_readonly`.
    public var isReadOnly: Bool {
        guard let handle = unsafe handle else { return true }
        return unsafe sqlite3_db_readonly(handle, "main") != 0
    }

    /// Whether the path names another file by now, or none, than the one that is open.
    ///
    /// The corresponding C function is `sqlite3_file_control` with `SQLITE_FCNTL_HAS_MOVED`.
    public func hasMoved() throws -> Bool {
        var moved: Int32 = 0
        let result = unsafe sqlite3_file_control(
            try open(), "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        guard result == SQLITE_OK else { throw unsafe SQLiteError(result, on: handle, .inspect) }
        return moved != 0
    }

    /// The handle, of a connection that is still open.
    func open() throws -> OpaquePointer {
        guard let handle = unsafe handle else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, operation: .inspect)
        }
        return unsafe handle
    }
}
