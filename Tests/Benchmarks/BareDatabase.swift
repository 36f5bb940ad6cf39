internal import CSQLite

/// A connection by the C functions alone, with the settings that the product has.
@safe final class BareDatabase {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
            | SQLITE_OPEN_EXRESCODE
        guard unsafe sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK,
            let handle = unsafe handle
        else { throw BenchmarkFailure("cannot open \(path)") }
        unsafe self.handle = unsafe handle
        try run(
            """
            PRAGMA cell_size_check = ON;
            PRAGMA mmap_size = 0;
            PRAGMA cache_size = -8192;
            PRAGMA temp_store = MEMORY;
            PRAGMA secure_delete = ON;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            """)
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    func run(_ sql: String) throws {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw unsafe BenchmarkFailure(String(cString: sqlite3_errmsg(handle)))
        }
    }

    func prepare(_ sql: String) throws -> BareStatement {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else {
            throw unsafe BenchmarkFailure(String(cString: sqlite3_errmsg(handle)))
        }
        return unsafe BareStatement(statement)
    }
}

/// A prepared statement; what is bound must stay where it is until the statement was run.
@safe final class BareStatement {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    @inline(__always) func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        unsafe sqlite3_bind_blob(pointer, index, bytes.baseAddress, Int32(bytes.count), nil)
    }

    @inline(__always) func bind(_ integer: Int64, at index: Int32) {
        unsafe sqlite3_bind_int64(pointer, index, integer)
    }

    /// Goes to the next row, if there is one.
    @inline(__always) func step() throws -> Bool {
        let result = unsafe sqlite3_step(pointer)
        if result == SQLITE_ROW { return true }
        guard result == SQLITE_DONE else { throw BenchmarkFailure("SQLite says \(result)") }
        return false
    }

    @inline(__always) func reset() {
        unsafe sqlite3_reset(pointer)
    }

    /// Runs it to its end.
    @inline(__always) func run() throws {
        while try step() {}
        reset()
    }

    @inline(__always) func blob(at column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(pointer, column)
        return unsafe UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }

    @inline(__always) func integer(at column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(pointer, column)
    }
}
