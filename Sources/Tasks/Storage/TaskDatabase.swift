internal import Database
internal import VaultStorage

/// A connection to a file of tasks that passed every check. Not thread-safe.
typealias TaskDatabase = SafeDatabase<TaskSchema>

/// What is read, as SQL. To be called inside a transaction.
extension TaskDatabase {
    func task(_ id: TaskID) throws(DatabaseError) -> TodoTask? {
        let row = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT id, revision, created, due, completed, kept_from, cleared, reminder, words,
                    name, notes
                FROM tasks WHERE id = ?1
                """)
            try statement.bind(text: id.text, at: 1)
            return try statement.step() ? try TaskRow(statement) : nil
        }
        return try row.map { (row) throws(DatabaseError) in try withSubtasks(row) }
    }

    func tasks(_ query: TaskQuery) throws(DatabaseError) -> [TodoTask] {
        let sql = TaskListing(query).sql
        let rows = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(assembled: sql)
            try statement.bind(query.filter.dueBefore, at: 1)
            // SQLite takes a negative number for no limit.
            try statement.bind(Int64(query.limit.map { max($0, 0) } ?? -1), at: 2)
            var rows: [TaskRow] = []
            while try statement.step() { rows.append(try TaskRow(statement)) }
            return rows
        }
        var tasks: [TodoTask] = []
        tasks.reserveCapacity(rows.count)
        for row in rows { tasks.append(try withSubtasks(row)) }
        return tasks
    }

    func count(_ filter: TaskFilter) throws(DatabaseError) -> Int {
        let sql = TaskListing(counting: filter).sql
        return try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(assembled: sql)
            if filter.dueBefore != nil { try statement.bind(filter.dueBefore, at: 1) }
            return try statement.step() ? Int(try statement.integer(at: 0)) : 0
        }
    }

    func ids(startingWith prefix: TaskIDPrefix, limit: Int) throws(DatabaseError) -> [TaskID] {
        let found = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT id FROM tasks WHERE id >= ?1 AND id < ?2 AND state < 2 ORDER BY id LIMIT ?3
                """)
            try statement.bind(text: prefix.text, at: 1)
            // Every character of ids comes before this one.
            try statement.bind(text: prefix.text + "~", at: 2)
            try statement.bind(Int64(max(limit, 0)), at: 3)
            var found: [[UInt8]] = []
            while try statement.step() { found.append(try statement.text(at: 0)) }
            return found
        }
        return try found.map { (bytes) throws(DatabaseError) in
            guard let id = TaskRow.id(bytes) else { throw .damagedTask }
            return id
        }
    }

    func completions(from start: PointInTime) throws(DatabaseError) -> [PointInTime] {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                "SELECT time FROM completions WHERE time >= ?1 ORDER BY time")
            try statement.bind(start, at: 1)
            var times: [PointInTime] = []
            while try statement.step() {
                times.append(PointInTime(milliseconds: try statement.integer(at: 0)))
            }
            return times
        }
    }

    func intents() throws(DatabaseError) -> [VaultIntent] {
        let rows = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                "SELECT words, kind, time FROM intents ORDER BY words")
            var rows: [(words: [UInt8], kind: Int64, time: Int64)] = []
            while try statement.step() {
                rows.append(
                    (
                        try statement.text(at: 0), try statement.integer(at: 1),
                        try statement.integer(at: 2)
                    ))
            }
            return rows
        }
        return try rows.map { (row) throws(DatabaseError) in
            guard let kind = VaultIntent.Kind(rawValue: row.kind),
                let text = String(validating: row.words, as: UTF8.self),
                let words = ProtectedWordsID(text)
            else { throw .damagedTask }
            return VaultIntent(kind, words, at: PointInTime(milliseconds: row.time))
        }
    }

    /// The task of a row, with its subtasks; a protected one has none.
    private func withSubtasks(_ row: TaskRow) throws(DatabaseError) -> TodoTask {
        var task = try row.task()
        guard case .plain(var text) = task.content else { return task }
        let found = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                "SELECT id, name, done FROM subtasks WHERE task = ?1 ORDER BY position")
            try statement.bind(text: task.id.text, at: 1)
            var found: [(id: [UInt8], name: [UInt8], done: Int64)] = []
            while try statement.step() {
                found.append(
                    (
                        try statement.text(at: 0), try statement.text(at: 1),
                        try statement.integer(at: 2)
                    ))
            }
            return found
        }
        for subtask in found {
            guard let id = TaskRow.id(subtask.id),
                let name = String(validating: subtask.name, as: UTF8.self)
            else { throw .damagedTask }
            text.subtasks.append(TodoSubtask(id: id, name: name, isDone: subtask.done != 0))
        }
        task.content = .plain(text)
        return task
    }
}
