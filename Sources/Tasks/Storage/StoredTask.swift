internal import Database

extension Transaction {
    /// How many ids one statement gets: far fewer than the longest text that SQLite takes has room for.
    private static let mostIDs = 8_192
    /// How many long notes one statement reads: 32 MiB.
    private static let mostNotes = 128

    /// Reads the tasks of a list page by page, each with two statements and one for long notes.
    func tasks(_ listing: TaskListSQL, limit: Int?) throws -> [TodoTask] {
        var found: [TodoTask] = []
        var known = Set<TaskID>()
        var left = max(limit ?? .max, 0)
        while true {
            let count = min(left, pageSize)
            let page = [count, found.count].map { DatabaseValue.integer(Int64($0)) }
            let tasks = try tasks(listing.sql, page + listing.values)
            // A server that repeats rows must not cause an endless loop.
            for task in tasks where !known.insert(task.id).inserted {
                throw DatabaseError.damagedTask
            }
            found += tasks
            left -= tasks.count
            guard tasks.count == count, left > 0 else { return found }
        }
    }

    /// Reads the tasks of ids, in any order.
    func tasks(_ ids: [TaskID]) throws -> [TodoTask] {
        try parts(ids, of: Self.mostIDs) { ids in
            try tasks(
                SQL(
                    sqlite: """
                        SELECT id, revision, created, due, completed, kept_from, cleared,
                            reminder, words, name, notes
                        FROM tasks WHERE id IN (SELECT value FROM json_each($1))
                        """,
                    postgreSQL: """
                        SELECT id, revision, created, due, completed, kept_from, cleared,
                            reminder, words, name,
                            CASE WHEN octet_length(notes) <= 2048 THEN notes END
                        FROM tasks
                        WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                        """), [ids])
        }
    }

    /// Reads one task by one statement, which sees one snapshot even outside a transaction.
    func task(_ id: TaskID) throws -> TodoTask? {
        var task: TodoTask?
        var subtasks: [TodoSubtask] = []
        _ = try rows(
            """
            SELECT id, revision, created, due, completed, kept_from, cleared, reminder, words, name,
                notes, CAST(0 AS bigint)
            FROM tasks WHERE id = $1
            UNION ALL
            SELECT id, done, position, NULL, NULL, NULL, NULL, NULL, NULL, name,
                NULL, CAST(1 AS bigint)
            FROM subtasks WHERE task = $1
            ORDER BY 12, 3
            """, [.text(id.text)]
        ) { row in
            if try row.integer(11) == 0 {
                task = try TodoTask(row)
                if row.isNull(10), !row.isNull(9) { throw DatabaseError.damagedTask }
            } else {
                subtasks.append(
                    TodoSubtask(
                        id: try row.taskID(0), name: try row.text(9),
                        isDone: try row.integer(1) != 0))
            }
        }
        try task?.add(subtasks)
        return task
    }

    /// Reads the rows of ``TodoTask/columns``, and what they lack: long notes and subtasks.
    private func tasks(_ sql: SQL, _ values: [DatabaseValue]) throws -> [TodoTask] {
        var long: [TaskID] = []
        var tasks = try rows(sql, values) { row in
            let task = try TodoTask(row)
            if row.isNull(10), !row.isNull(9) { long.append(task.id) }
            return task
        }
        let notes = Dictionary(
            try parts(long, of: Self.mostNotes) { try self.notes($0) },
            uniquingKeysWith: { $1 })
        let subtasks = try parts(tasks.map(\.id), of: Self.mostIDs) { try self.subtasks($0) }
        if notes.isEmpty, subtasks.isEmpty { return tasks }
        let found = Dictionary(grouping: subtasks, by: \.task)
        for index in tasks.indices {
            if let notes = notes[tasks[index].id], var text = tasks[index].plainText {
                text.notes = notes
                tasks[index].content = .plain(text)
            }
            if let subtasks = found[tasks[index].id.text] {
                try tasks[index].add(subtasks.map(\.subtask))
            }
        }
        return tasks
    }

    private func notes(_ ids: DatabaseValue) throws -> [(TaskID, String)] {
        try rows(
            SQL(
                sqlite: """
                    SELECT id, notes FROM tasks WHERE id IN (SELECT value FROM json_each($1))
                    """,
                postgreSQL: """
                    SELECT id, notes FROM tasks
                    WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                    """), [ids]
        ) { row in
            guard let notes = try row.optionalText(1) else { throw DatabaseError.damagedTask }
            return (try row.taskID(0), notes)
        }
    }

    /// Reads the subtasks of tasks, page by page of the key.
    private func subtasks(
        _ ids: DatabaseValue
    ) throws -> [(task: String, subtask: TodoSubtask)] {
        var found: [(task: String, subtask: TodoSubtask)] = []
        var last = (task: "", position: Int64.min)
        while true {
            let start = last
            let page = try rows(
                SQL(
                    // A unary plus keeps SQLite from using the index for this term.
                    sqlite: """
                        SELECT task, id, name, done, position FROM subtasks
                        WHERE task IN (SELECT value FROM json_each($1))
                            AND (+task, +position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """,
                    postgreSQL: """
                        SELECT task, id, name, done, position FROM subtasks
                        WHERE task = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                            AND (task, position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """),
                [
                    ids, .text(start.task), .integer(start.position), .integer(Int64(pageSize)),
                ]
            ) { row in
                let subtask = TodoSubtask(
                    id: try row.taskID(1), name: try row.text(2), isDone: try row.integer(3) != 0)
                last = (try row.text(0), try row.integer(4))
                return (task: last.task, subtask: subtask)
            }
            found += page
            guard page.count == pageSize else { return found }
            // A server that repeats rows must not cause an endless loop.
            guard start < last else { throw DatabaseError.damagedTask }
        }
    }

    /// Runs a statement for part after part of ids. Its parameter is the JSON of an array, which both databases can read.
    private func parts<Value>(
        _ ids: [TaskID], of size: Int, _ body: (DatabaseValue) throws -> [Value]
    ) throws -> [Value] {
        try stride(from: 0, to: ids.count, by: size).flatMap { start in
            let part = ids[start..<min(start + size, ids.count)]
            return try body(
                .text("[" + part.map { "\"\($0.text)\"" }.joined(separator: ",") + "]"))
        }
    }
}

extension TodoTask {
    /// The columns from which a task is read.
    static let columns =
        "id, revision, created, due, completed, kept_from, cleared, reminder, words, name, notes"

    /// The columns of a list on a server, where long notes are missing: 128 MiB of them must not become one answer.
    static let shortColumns =
        "id, revision, created, due, completed, kept_from, cleared, reminder, words, name, "
        + "CASE WHEN octet_length(notes) <= 2048 THEN notes END"

    /// Adds subtasks, which a protected task must not have.
    fileprivate mutating func add(_ subtasks: [TodoSubtask]) throws {
        if subtasks.isEmpty { return }
        guard var text = plainText else { throw DatabaseError.damagedTask }
        text.subtasks = subtasks
        content = .plain(text)
    }

    /// Reads a row of ``columns``, without subtasks, and without notes if they are NULL.
    ///
    /// - Throws: `DatabaseError.damaged` for a row that this program never writes.
    fileprivate init(_ row: any Row) throws {
        let content: Content
        switch (try row.wordsID(8), try row.optionalText(9), try row.optionalText(10)) {
        case (let words?, nil, nil): content = .protected(words)
        case (nil, let name?, let notes):
            content = .plain(TaskText(name: name, notes: notes ?? ""))
        default: throw DatabaseError.damagedTask
        }
        let completed = try row.time(4)
        let (keptFrom, cleared) = (try row.time(5), try row.time(6))
        guard let revision = UInt64(exactly: try row.integer(1)), revision > 0,
            completed != nil || (keptFrom == nil && cleared == nil)
        else { throw DatabaseError.damagedTask }
        self.init(
            id: try row.taskID(0), content: content, due: try row.time(3),
            created: PointInTime(milliseconds: try row.integer(2)),
            completion: completed.map {
                TaskCompletion(time: $0, keptFrom: keptFrom, cleared: cleared)
            },
            hasReminder: try row.integer(7) != 0, revision: revision)
    }

    /// The values of the columns `id` to `words`, `name`, `name_key`, `notes` and `state`.
    var values: [DatabaseValue] {
        let text = plainText
        return [
            .text(id.text), .integer(Int64(clamping: revision)), .integer(created.milliseconds),
            .integer(due?.milliseconds), .integer(completion?.time.milliseconds),
            .integer(completion?.keptFrom.milliseconds),
            .integer(completion?.cleared?.milliseconds), .integer(hasReminder ? 1 : 0),
            .text(wordsID?.text), .text(text?.name),
            .bytes(text.map { NameKey($0.name).forSorting }), .text(text?.notes),
            .integer(completion.map { $0.cleared == nil ? 1 : 2 } ?? 0),
        ]
    }
}

extension Row {
    /// A column with the id of a task.
    func taskID(_ column: Int32) throws -> TaskID {
        guard let id = TaskID(stored: try text(column)) else { throw DatabaseError.damagedTask }
        return id
    }

    /// A column with the id of protected text, or NULL.
    func wordsID(_ column: Int32) throws -> ProtectedWordsID? {
        guard let text = try optionalText(column) else { return nil }
        guard let id = ProtectedWordsID(text) else { throw DatabaseError.damagedTask }
        return id
    }

    /// A column with a time, or NULL.
    fileprivate func time(_ column: Int32) throws -> PointInTime? {
        try optionalInteger(column).map { PointInTime(milliseconds: $0) }
    }
}

extension DatabaseError {
    /// A row that this program never writes.
    static let damagedTask = DatabaseError.damaged(reason: "a row is not that of a task")
}
