internal import Database

extension Transaction {
    /// How many ids one statement gets: far fewer than the longest text that SQLite takes has room for.
    private static let mostIDs = 10_000

    /// Reads the tasks of a list, with two statements for 10,000 tasks.
    func tasks(_ listing: TaskListing) throws -> [TodoTask] {
        try withSubtasks(rows(listing.sql, listing.values) { try TodoTask($0) })
    }

    /// Reads the tasks of ids, in any order.
    func tasks(_ ids: [TaskID]) throws -> [TodoTask] {
        try withSubtasks(
            parts(ids) { ids in
                try rows(
                    SQL(
                        sqlite: """
                            SELECT id, revision, created, due, completed, kept_from, cleared,
                                reminder, words, name, notes
                            FROM tasks WHERE id IN (SELECT value FROM json_each($1))
                            """,
                        postgreSQL: """
                            SELECT id, revision, created, due, completed, kept_from, cleared,
                                reminder, words, name, notes
                            FROM tasks
                            WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                            """), [ids]
                ) { try TodoTask($0) }
            })
    }

    /// Gives tasks their subtasks, which a protected task must not have.
    private func withSubtasks(_ tasks: [TodoTask]) throws -> [TodoTask] {
        let subtasks = try parts(tasks.map(\.id)) { ids in
            try rows(
                SQL(
                    sqlite: """
                        SELECT task, id, name, done FROM subtasks
                        WHERE task IN (SELECT value FROM json_each($1))
                        ORDER BY task, position
                        """,
                    postgreSQL: """
                        SELECT task, id, name, done FROM subtasks
                        WHERE task = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                        ORDER BY task, position
                        """), [ids]
            ) { row in
                let subtask = TodoSubtask(
                    id: try row.taskID(1), name: try row.text(2), isDone: try row.integer(3) != 0)
                return (task: try row.text(0), subtask: subtask)
            }
        }
        if subtasks.isEmpty { return tasks }
        var found: [String: [TodoSubtask]] = [:]
        for (task, subtask) in subtasks { found[task, default: []].append(subtask) }
        return try tasks.map { task in
            guard let subtasks = found[task.id.text] else { return task }
            guard var text = task.plainText else { throw DatabaseError.damagedTask }
            text.subtasks = subtasks
            var task = task
            task.content = .plain(text)
            return task
        }
    }

    /// Runs a statement for part after part of ids. Its parameter is the JSON of an array, which both databases can read.
    private func parts<Value>(
        _ ids: [TaskID], _ body: (DatabaseValue) throws -> [Value]
    ) throws -> [Value] {
        try stride(from: 0, to: ids.count, by: Self.mostIDs).flatMap { start in
            let part = ids[start..<min(start + Self.mostIDs, ids.count)]
            return try body(
                .text("[" + part.map { "\"\($0.text)\"" }.joined(separator: ",") + "]"))
        }
    }
}

extension TodoTask {
    /// The columns from which a task is read.
    static let columns =
        "id, revision, created, due, completed, kept_from, cleared, reminder, words, name, notes"

    /// Reads a row of ``columns``, without subtasks.
    ///
    /// - Throws: `DatabaseError.damaged` for a row that this program never writes.
    fileprivate init(_ row: any Row) throws {
        let content: Content
        switch (try row.wordsID(8), try row.optionalText(9), try row.optionalText(10)) {
        case (let words?, nil, nil): content = .protected(words)
        case (nil, let name?, let notes?): content = .plain(TaskText(name: name, notes: notes))
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
