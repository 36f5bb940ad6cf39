internal import Database
internal import VaultStorage

/// A connection to a database with tasks whose tables were looked at. Not thread-safe.
typealias PostgreSQLTasks = PostgreSQLTables<PostgreSQLTaskSchema>

/// What is read, as SQL.
extension PostgreSQLTasks {
    func task(_ id: TaskID) throws(DatabaseError) -> TodoTask? {
        let rows = try perform { (connection) throws(PostgreSQLError) in
            try connection.rows(
                """
                SELECT id, revision, created, due, completed, kept_from, cleared, reminder, words,
                    name, notes,
                    (SELECT string_agg(octet_length(convert_to(s.name, 'UTF8'))::text || ' ' || s.id
                        || ' ' || s.done::text || ' ' || s.name, '' ORDER BY s.position)
                    FROM taskvault.task_subtasks AS s WHERE s.task = t.id)
                FROM taskvault.task_items AS t WHERE id = $1
                """, [.text(id.text)])
        }
        return try rows.first.map { (row) throws(DatabaseError) in try Self.task(row) }
    }

    /// To be called inside a transaction: the list comes page by page, so that no answer is too large.
    func tasks(_ query: TaskQuery) throws(DatabaseError) -> [TodoTask] {
        let listing = PostgreSQLTaskListing(query)
        try perform { (connection) throws(PostgreSQLError) in
            _ = try connection.rows(
                once: "DECLARE task_list NO SCROLL CURSOR FOR " + listing.sql, listing.parameters)
        }
        var tasks: [TodoTask] = []
        while true {
            let page = try perform { (connection) throws(PostgreSQLError) in
                try connection.rows("FETCH 200 FROM task_list")
            }
            for row in page { tasks.append(try Self.task(row)) }
            if page.isEmpty { break }
        }
        try perform { (connection) throws(PostgreSQLError) in
            _ = try connection.execute("CLOSE task_list")
        }
        return tasks
    }

    func count(_ filter: TaskFilter) throws(DatabaseError) -> Int {
        let listing = PostgreSQLTaskListing(counting: filter)
        return try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(once: listing.sql, listing.parameters)
            return try rows.first.map { (row) throws(PostgreSQLError) in
                Int(try row.integer(at: 0))
            } ?? 0
        }
    }

    func ids(startingWith prefix: TaskIDPrefix, limit: Int) throws(DatabaseError) -> [TaskID] {
        let rows = try perform { (connection) throws(PostgreSQLError) in
            // Every character of ids comes before the one of the upper end.
            try connection.rows(
                """
                SELECT id FROM taskvault.task_items WHERE id >= $1 AND id < $2 AND state < 2
                ORDER BY id LIMIT $3
                """,
                [.text(prefix.text), .text(prefix.text + "~"), .integer(Int64(max(limit, 0)))])
        }
        return try rows.map { (row) throws(DatabaseError) in try Self.id(row, at: 0) }
    }

    func completions(from start: PointInTime) throws(DatabaseError) -> [PointInTime] {
        try perform { (connection) throws(PostgreSQLError) in
            let rows = try connection.rows(
                "SELECT time FROM taskvault.task_completions WHERE time >= $1 ORDER BY time",
                [.integer(start.milliseconds)])
            var times: [PointInTime] = []
            for row in rows { times.append(PointInTime(milliseconds: try row.integer(at: 0))) }
            return times
        }
    }

    func intents() throws(DatabaseError) -> [VaultIntent] {
        let rows = try perform { (connection) throws(PostgreSQLError) in
            try connection.rows(
                "SELECT words, kind, time FROM taskvault.task_intents ORDER BY words")
        }
        return try rows.map { (row) throws(DatabaseError) in
            guard let words = try Self.words(row, at: 0),
                let kind = VaultIntent.Kind(
                    rawValue: try Self.checked { () throws(PostgreSQLError) in
                        try row.integer(at: 1)
                    })
            else { throw .damagedTask }
            let time = try Self.checked { () throws(PostgreSQLError) in try row.integer(at: 2) }
            return VaultIntent(kind, words, at: PointInTime(milliseconds: time))
        }
    }

    /// The tasks that were cleared before a time, and where their words are.
    func cleared(
        before limit: PointInTime
    ) throws(DatabaseError) -> [(id: TaskID, words: ProtectedWordsID?)] {
        let rows = try perform { (connection) throws(PostgreSQLError) in
            try connection.rows(
                "SELECT id, words FROM taskvault.task_items WHERE state = 2 AND cleared < $1",
                [.integer(limit.milliseconds)])
        }
        return try rows.map { (row) throws(DatabaseError) in
            (try Self.id(row, at: 0), try Self.words(row, at: 1))
        }
    }

    private static func task(_ row: PostgreSQLRow) throws(DatabaseError) -> TodoTask {
        let (stored, subtasks) = try checked { () throws(PostgreSQLError) in
            (try TaskRow(row), row.isNull(at: 11) ? nil : try row.text(at: 11))
        }
        var task = try stored.task()
        guard let subtasks else { return task }
        guard case .plain(var text) = task.content,
            let found = SubtaskList.decode(subtasks)
        else { throw .damagedTask }
        text.subtasks = found
        task.content = .plain(text)
        return task
    }

    private static func id(_ row: PostgreSQLRow, at column: Int32) throws(DatabaseError) -> TaskID {
        let text = try checked { () throws(PostgreSQLError) in try row.text(at: column) }
        guard let id = TaskRow.id(Array(text.utf8)) else { throw .damagedTask }
        return id
    }

    private static func words(
        _ row: PostgreSQLRow, at column: Int32
    ) throws(DatabaseError) -> ProtectedWordsID? {
        if row.isNull(at: column) { return nil }
        let text = try checked { () throws(PostgreSQLError) in try row.text(at: column) }
        guard let words = ProtectedWordsID(text) else { throw .damagedTask }
        return words
    }

    private static func checked<Value>(
        _ body: () throws(PostgreSQLError) -> Value
    ) throws(DatabaseError) -> Value {
        do {
            return try body()
        } catch {
            throw DatabaseError(error)
        }
    }
}

extension TaskRow {
    /// Reads the columns of a row.
    init(_ row: PostgreSQLRow) throws(PostgreSQLError) {
        func integer(_ column: Int32) throws(PostgreSQLError) -> Int64? {
            row.isNull(at: column) ? nil : try row.integer(at: column)
        }
        func text(_ column: Int32) throws(PostgreSQLError) -> [UInt8]? {
            row.isNull(at: column) ? nil : Array(try row.text(at: column).utf8)
        }
        self.init(
            id: Array(try row.text(at: 0).utf8), revision: try row.integer(at: 1),
            created: try row.integer(at: 2), due: try integer(3), completed: try integer(4),
            keptFrom: try integer(5), cleared: try integer(6), hasReminder: try row.integer(at: 7),
            words: try text(8), name: try text(9), notes: try text(10))
    }
}
