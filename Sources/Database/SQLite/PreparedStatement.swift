internal import CSQLite

/// A compiled statement, owned by its connection's cache or by the one who runs it.
///
/// The corresponding C functions are `sqlite3_prepare_v3` and `sqlite3_finalize`.
@safe final class PreparedStatement {
    let pointer: OpaquePointer
    /// Whether a ``Statement`` is using it.
    private(set) var isLent = false

    convenience init(
        _ sql: StaticString, on connection: DatabaseConnection
    ) throws(DatabaseError) {
        let handle = unsafe try connection.open()
        var pointer: OpaquePointer?
        let result = sql.withUTF8Buffer { text in
            // With the terminating zero that a literal has, SQLite need not copy the text.
            unsafe sqlite3_prepare_v3(
                handle, text.baseAddress, Int32(text.count) + 1,
                UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        }
        unsafe try self.init(result, pointer, handle)
    }

    convenience init(
        assembled sql: String, on connection: DatabaseConnection
    ) throws(DatabaseError) {
        let handle = unsafe try connection.open()
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &pointer, nil)
        unsafe try self.init(result, pointer, handle)
    }

    private init(
        _ result: Int32, _ pointer: OpaquePointer?, _ handle: OpaquePointer
    ) throws(DatabaseError) {
        guard result == SQLITE_OK else { throw unsafe DatabaseError(result, on: handle, .prepare) }
        guard let pointer = unsafe pointer else {
            // An empty statement.
            throw DatabaseError(extendedCode: SQLITE_MISUSE, operation: .prepare)
        }
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    func lend() {
        isLent = true
    }

    /// Ends the run: gives up locks and the snapshot, and lets go of what was bound.
    ///
    /// `sqlite3_reset` repeats the error of the step before it, which was thrown then.
    func takeBack() {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
        isLent = false
    }
}
