internal import CSQLite
internal import Tasks

/// A row as SQLite has it. The corresponding C function is `sqlite3_value_dup`.
@safe final class StoredRow {
    let values: [OpaquePointer?]
    var count: Int { unsafe values.count }

    init(_ statement: BareStatement) {
        unsafe values = (0..<sqlite3_column_count(statement.pointer)).map {
            unsafe sqlite3_value_dup(sqlite3_column_value(statement.pointer, $0))
        }
    }

    deinit {
        unsafe values.forEach { unsafe sqlite3_value_free($0) }
    }
}

/// All that the product stored of a task.
struct StoredTask {
    let row: StoredRow
    let subtasks: [StoredRow]
    let completions: [StoredRow]
    let labels: [StoredRow]
    /// The data that `task undo` needs.
    let changes: [StoredRow]
}

/// Reads back what the product stored.
final class StoredTaskReader {
    private let database: BareDatabase
    private let task: BareStatement
    private let subtasks: BareStatement
    private let completions: BareStatement
    private let labels: BareStatement
    private let changes: BareStatement

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - isFinal: Whether it stays as it is. Then copies of the tables whose keys do not begin with the task are indexed for it.
    /// - Throws: The failure of SQLite.
    init(_ path: String, isFinal: Bool = false) throws {
        database = try BareDatabase(path)
        for table in isFinal ? ["labels", "changes"] : [] {
            try database.run("CREATE TEMP TABLE \(table) AS SELECT * FROM main.\(table)")
            try database.run("CREATE INDEX temp.\(table)_by_task ON \(table) (task)")
        }
        task = try database.prepare("SELECT * FROM tasks WHERE id = ?1")
        labels = try database.prepare("SELECT * FROM labels WHERE task = ?1 ORDER BY label")
        changes = try database.prepare("SELECT * FROM changes WHERE task = ?1")
        subtasks = try database.prepare("SELECT * FROM subtasks WHERE task = ?1 ORDER BY position")
        completions = try database.prepare(
            "SELECT * FROM completions WHERE time = ?2 AND task = ?1")
    }

    /// Reads a task; a completion only where it was completed at the time of the tasks.
    func read(_ id: TaskID, completedAt time: PointInTime?) throws -> StoredTask {
        let rows = try rows(task, id)
        guard let row = rows.first else { throw BenchmarkFailure("a task that is not there") }
        var completed: [StoredRow] = []
        if let time {
            completions.bind(time.milliseconds, at: 2)
            completed = try self.rows(completions, id)
        }
        return StoredTask(
            row: row, subtasks: try self.rows(subtasks, id), completions: completed,
            labels: try self.rows(labels, id), changes: try self.rows(changes, id))
    }

    private func rows(_ statement: BareStatement, _ id: TaskID) throws -> [StoredRow] {
        let id = Array(id.text.utf8)
        return try unsafe id.withUnsafeBytes { id in
            unsafe statement.bind(text: id, at: 1)
            defer { statement.reset() }
            var rows: [StoredRow] = []
            while try statement.step() { rows.append(StoredRow(statement)) }
            return rows
        }
    }
}

extension BareStatement {
    /// Binds text that stays where it is until the statement was run.
    @inline(__always) func bind(text: UnsafeRawBufferPointer, at index: Int32) {
        unsafe sqlite3_bind_text(
            pointer, index, text.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(text.count), nil)
    }

    @inline(__always) func text(at column: Int32) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_text(pointer, column)
        return unsafe UnsafeRawBufferPointer(
            start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }

    /// Has SQLite decode columns of a row.
    @inline(__always) func fetch(columns: Int32) {
        for column in 0..<columns {
            switch unsafe sqlite3_column_type(pointer, column) {
            case SQLITE_INTEGER: _ = unsafe sqlite3_column_int64(pointer, column)
            case SQLITE_TEXT: _ = unsafe sqlite3_column_text(pointer, column)
            default: break
            }
        }
    }

    /// Runs it with the values of a row.
    func run(_ row: StoredRow) throws {
        for index in 0..<min(row.count, Int(unsafe sqlite3_bind_parameter_count(pointer))) {
            unsafe sqlite3_bind_value(pointer, Int32(index) + 1, row.values[index])
        }
        try run()
    }
}
