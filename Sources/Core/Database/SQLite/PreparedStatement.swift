internal import CSQLite

/// A compiled statement, owned by its connection's cache or by its caller.
///
/// The corresponding C functions are `sqlite3_prepare_v3` and `sqlite3_finalize`.
@safe final class PreparedStatement {
    let pointer: OpaquePointer
    /// The SQLite index of each parameter `$1`, `$2`, …. SQLite numbers them in the order of first appearance.
    let parameters: [Int32]
    private weak let connection: SQLiteConnection?
    /// Kept, so that no other text gets its address, by which the connection finds the statement.
    private let constant: ConstantText?
    /// Whether a ``SQLiteStatement`` is using it.
    private(set) var isInUse = false

    convenience init(
        _ sql: StaticString, on connection: SQLiteConnection
    ) throws {
        let handle = unsafe try connection.open()
        var pointer: OpaquePointer?
        let result = sql.withUTF8Buffer { text in
            // The literal ends with a zero byte, so SQLite need not copy the text.
            unsafe sqlite3_prepare_v3(
                handle, text.baseAddress, Int32(text.count) + 1,
                UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        }
        unsafe try self.init(result, pointer, connection)
    }

    convenience init(
        constant sql: ConstantText, on connection: SQLiteConnection
    ) throws {
        let handle = unsafe try connection.open()
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            handle, sql.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        unsafe try self.init(result, pointer, connection, sql)
    }

    convenience init(
        assembled sql: String, on connection: SQLiteConnection
    ) throws {
        let handle = unsafe try connection.open()
        var pointer: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, 0, &pointer, nil)
        unsafe try self.init(result, pointer, connection)
    }

    private init(
        _ result: Int32, _ pointer: OpaquePointer?, _ connection: SQLiteConnection,
        _ constant: ConstantText? = nil
    ) throws {
        guard result == SQLITE_OK else { throw connection.failure(result, "prepare") }
        // An empty statement has no pointer.
        guard let pointer = unsafe pointer else {
            throw connection.failure(SQLITE_MISUSE, "prepare")
        }
        self.connection = connection
        self.constant = constant
        unsafe self.pointer = unsafe pointer
        let count = unsafe sqlite3_bind_parameter_count(pointer)
        parameters = (0..<count).map { number in
            unsafe sqlite3_bind_parameter_index(pointer, "$\(number + 1)")
        }
    }

    /// The error of a failed call.
    func failure(_ result: Int32, _ operation: String) -> DatabaseError {
        connection?.failure(result, operation) ?? .closed
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    func acquire() {
        isInUse = true
    }

    /// Ends the run, which releases locks, the snapshot and the bound values.
    ///
    /// The result of `sqlite3_reset` is ignored: it repeats the error that the last step already threw.
    func release() {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
        isInUse = false
    }
}
