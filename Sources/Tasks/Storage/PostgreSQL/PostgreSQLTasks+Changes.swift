internal import Database
internal import VaultStorage

/// What is written, as SQL. To be called inside a transaction.
extension PostgreSQLTasks {
    /// Adds a row, its subtasks and its completion.
    ///
    /// - Returns: `false`, with nothing changed, if the id is taken.
    func insert(_ task: TodoTask) throws(DatabaseError) -> Bool {
        let inserted = try change(
            """
            INSERT INTO taskvault.task_items (id, revision, created, due, completed, kept_from,
                cleared, reminder, words, name, name_key, notes)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING
            """, task.parameters)
        guard inserted == 1 else { return false }
        try insertSubtasks(of: task)
        if let time = task.completion?.time { try insertCompletion(of: task.id, at: time) }
        return true
    }

    /// Replaces a row and its subtasks.
    func replace(_ old: TodoTask, with task: TodoTask) throws(DatabaseError) {
        _ = try change(
            """
            UPDATE taskvault.task_items SET revision = $2, created = $3, due = $4, completed = $5,
                kept_from = $6, cleared = $7, reminder = $8, words = $9, name = $10, name_key = $11,
                notes = $12
            WHERE id = $1
            """, task.parameters)
        if old.plainText?.subtasks != task.plainText?.subtasks {
            try removeSubtasks(of: task.id)
            try insertSubtasks(of: task)
        }
        guard old.completion?.time != task.completion?.time else { return }
        if let time = old.completion?.time { try removeCompletion(of: task.id, at: time) }
        if let time = task.completion?.time { try insertCompletion(of: task.id, at: time) }
    }

    /// Removes a row and its subtasks; its completion stays.
    func remove(_ id: TaskID) throws(DatabaseError) {
        _ = try change("DELETE FROM taskvault.task_items WHERE id = $1", [.text(id.text)])
        try removeSubtasks(of: id)
    }

    func insertCompletion(of id: TaskID, at time: PointInTime) throws(DatabaseError) {
        _ = try change(
            "INSERT INTO taskvault.task_completions (time, task) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.integer(time.milliseconds), .text(id.text)])
    }

    private func removeCompletion(of id: TaskID, at time: PointInTime) throws(DatabaseError) {
        _ = try change(
            "DELETE FROM taskvault.task_completions WHERE time = $1 AND task = $2",
            [.integer(time.milliseconds), .text(id.text)])
    }

    private func insertSubtasks(of task: TodoTask) throws(DatabaseError) {
        for (position, subtask) in (task.plainText?.subtasks ?? []).enumerated() {
            _ = try change(
                """
                INSERT INTO taskvault.task_subtasks (task, position, id, name, done)
                VALUES ($1, $2, $3, $4, $5)
                """,
                [
                    .text(task.id.text), .integer(Int64(position)), .text(subtask.id.text),
                    .text(subtask.name), .integer(subtask.isDone ? 1 : 0),
                ])
        }
    }

    private func removeSubtasks(of id: TaskID) throws(DatabaseError) {
        _ = try change("DELETE FROM taskvault.task_subtasks WHERE task = $1", [.text(id.text)])
    }

    func clear(keptBefore limit: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int {
        try change(
            """
            UPDATE taskvault.task_items SET cleared = $2, revision = revision + 1
            WHERE state = 1 AND kept_from < $1
            """, [.integer(limit.milliseconds), .integer(now.milliseconds)])
    }

    func restore(clearedFrom start: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int {
        try change(
            """
            UPDATE taskvault.task_items
            SET cleared = NULL, kept_from = $2, revision = revision + 1
            WHERE state = 2 AND cleared >= $1
            """, [.integer(start.milliseconds), .integer(now.milliseconds)])
    }

    func put(_ intent: VaultIntent) throws(DatabaseError) {
        _ = try change(
            """
            INSERT INTO taskvault.task_intents (words, kind, time) VALUES ($1, $2, $3)
            ON CONFLICT (words) DO UPDATE SET kind = $2, time = $3
            """,
            [
                .text(intent.words.text), .integer(intent.kind.rawValue),
                .integer(intent.time.milliseconds),
            ])
    }

    func take(_ intent: VaultIntent) throws(DatabaseError) -> Bool {
        try change(
            "DELETE FROM taskvault.task_intents WHERE words = $1 AND kind = $2",
            [.text(intent.words.text), .integer(intent.kind.rawValue)]) == 1
    }

    /// - Returns: The number of rows that were changed.
    private func change(
        _ sql: StaticString, _ parameters: [PostgreSQLParameter]
    ) throws(DatabaseError) -> Int {
        try perform { (connection) throws(PostgreSQLError) in
            try connection.execute(sql, parameters)
        }
    }
}

extension TodoTask {
    fileprivate var parameters: [PostgreSQLParameter] {
        let text = plainText
        var words: ProtectedWordsID?
        if case .protected(let id) = content { words = id }
        return [
            .text(id.text), .integer(Int64(clamping: revision)), .integer(created.milliseconds),
            .integer(due?.milliseconds), .integer(completion?.time.milliseconds),
            .integer(completion?.keptFrom.milliseconds),
            .integer(completion?.cleared?.milliseconds), .integer(hasReminder ? 1 : 0),
            .text(words?.text), .text(text?.name),
            .bytes(text.map { NameKey($0.name).forSorting }), .text(text?.notes),
        ]
    }
}
