internal import Database
internal import VaultStorage

/// What is written, as SQL. To be called inside a transaction.
extension TaskDatabase {
    /// Adds a row, its subtasks and its completion.
    ///
    /// - Returns: `false`, with nothing changed, if the id is taken.
    func insert(_ task: TodoTask) throws(DatabaseError) -> Bool {
        let inserted = try change(
            """
            INSERT INTO tasks (id, revision, created, due, completed, kept_from, cleared, reminder,
                words, name, name_key, notes, state)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            ON CONFLICT (id) DO NOTHING
            """
        ) { (statement) throws(SQLiteError) in try task.bind(to: statement) }
        guard inserted == 1 else { return false }
        try insertSubtasks(of: task)
        if let time = task.completion?.time { try insertCompletion(of: task.id, at: time) }
        return true
    }

    /// Replaces a row and its subtasks.
    func replace(_ old: TodoTask, with task: TodoTask) throws(DatabaseError) {
        _ = try change(
            """
            UPDATE tasks SET revision = ?2, created = ?3, due = ?4, completed = ?5, kept_from = ?6,
                cleared = ?7, reminder = ?8, words = ?9, name = ?10, name_key = ?11, notes = ?12,
                state = ?13
            WHERE id = ?1
            """
        ) { (statement) throws(SQLiteError) in try task.bind(to: statement) }
        try removeSubtasks(of: task.id)
        try insertSubtasks(of: task)
        guard old.completion?.time != task.completion?.time else { return }
        if let time = old.completion?.time { try removeCompletion(of: task.id, at: time) }
        if let time = task.completion?.time { try insertCompletion(of: task.id, at: time) }
    }

    /// Removes a row and its subtasks; its completion stays.
    func remove(_ id: TaskID) throws(DatabaseError) {
        _ = try change("DELETE FROM tasks WHERE id = ?1") { (statement) throws(SQLiteError) in
            try statement.bind(text: id.text, at: 1)
        }
        try removeSubtasks(of: id)
    }

    func insertCompletion(of id: TaskID, at time: PointInTime) throws(DatabaseError) {
        _ = try change(
            "INSERT INTO completions (time, task) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        ) { (statement) throws(SQLiteError) in
            try statement.bind(time, at: 1)
            try statement.bind(text: id.text, at: 2)
        }
    }

    private func removeCompletion(of id: TaskID, at time: PointInTime) throws(DatabaseError) {
        _ = try change("DELETE FROM completions WHERE time = ?1 AND task = ?2") {
            (statement) throws(SQLiteError) in
            try statement.bind(time, at: 1)
            try statement.bind(text: id.text, at: 2)
        }
    }

    private func insertSubtasks(of task: TodoTask) throws(DatabaseError) {
        for (position, subtask) in (task.plainText?.subtasks ?? []).enumerated() {
            _ = try change(
                """
                INSERT INTO subtasks (task, position, id, name, done) VALUES (?1, ?2, ?3, ?4, ?5)
                """
            ) { (statement) throws(SQLiteError) in
                try statement.bind(text: task.id.text, at: 1)
                try statement.bind(Int64(position), at: 2)
                try statement.bind(text: subtask.id.text, at: 3)
                try statement.bind(text: subtask.name, at: 4)
                try statement.bind(subtask.isDone ? 1 : 0, at: 5)
            }
        }
    }

    private func removeSubtasks(of id: TaskID) throws(DatabaseError) {
        _ = try change("DELETE FROM subtasks WHERE task = ?1") {
            (statement) throws(SQLiteError) in
            try statement.bind(text: id.text, at: 1)
        }
    }

    func clear(keptBefore limit: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int {
        try change(
            """
            UPDATE tasks INDEXED BY tasks_to_clear SET state = 2, cleared = ?2, revision = revision + 1
            WHERE state = 1 AND kept_from < ?1
            """
        ) { (statement) throws(SQLiteError) in
            try statement.bind(limit, at: 1)
            try statement.bind(now, at: 2)
        }
    }

    func restore(clearedFrom start: PointInTime, at now: PointInTime) throws(DatabaseError) -> Int {
        try change(
            """
            UPDATE tasks INDEXED BY tasks_to_purge
            SET state = 1, cleared = NULL, kept_from = ?2, revision = revision + 1
            WHERE state = 2 AND cleared >= ?1
            """
        ) { (statement) throws(SQLiteError) in
            try statement.bind(start, at: 1)
            try statement.bind(now, at: 2)
        }
    }

    /// The tasks that were cleared before a time, and where their words are.
    func cleared(
        before limit: PointInTime
    ) throws(DatabaseError) -> [(id: TaskID, words: ProtectedWordsID?)] {
        let rows = try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(
                """
                SELECT id, words FROM tasks INDEXED BY tasks_to_purge
                WHERE state = 2 AND cleared < ?1
                """)
            try statement.bind(limit, at: 1)
            var rows: [(id: [UInt8], words: [UInt8]?)] = []
            while try statement.step() {
                rows.append((try statement.text(at: 0), try statement.optionalText(at: 1)))
            }
            return rows
        }
        return try rows.map { (row) throws(DatabaseError) in
            guard let id = TaskRow.id(row.id) else { throw .damagedTask }
            guard let bytes = row.words else { return (id, nil) }
            guard let text = String(validating: bytes, as: UTF8.self),
                let words = ProtectedWordsID(text)
            else { throw .damagedTask }
            return (id, words)
        }
    }

    func put(_ intent: VaultIntent) throws(DatabaseError) {
        _ = try change(
            """
            INSERT INTO intents (words, kind, time) VALUES (?1, ?2, ?3)
            ON CONFLICT (words) DO UPDATE SET kind = ?2, time = ?3
            """
        ) { (statement) throws(SQLiteError) in
            try statement.bind(text: intent.words.text, at: 1)
            try statement.bind(intent.kind.rawValue, at: 2)
            try statement.bind(intent.time.milliseconds, at: 3)
        }
    }

    func take(_ intent: VaultIntent) throws(DatabaseError) -> Bool {
        let taken = try change("DELETE FROM intents WHERE words = ?1 AND kind = ?2") {
            (statement) throws(SQLiteError) in
            try statement.bind(text: intent.words.text, at: 1)
            try statement.bind(intent.kind.rawValue, at: 2)
        }
        return taken == 1
    }

    /// Runs a statement to its end.
    ///
    /// - Returns: The number of rows that it changed.
    private func change(
        _ sql: StaticString, bind: (borrowing SQLiteStatement) throws(SQLiteError) -> Void
    ) throws(DatabaseError) -> Int {
        try perform { (connection) throws(SQLiteError) in
            let statement = try connection.statement(sql)
            try bind(statement)
            while try statement.step() {}
            return connection.changedRows
        }
    }
}

extension TodoTask {
    fileprivate func bind(to statement: borrowing SQLiteStatement) throws(SQLiteError) {
        try statement.bind(text: id.text, at: 1)
        try statement.bind(Int64(clamping: revision), at: 2)
        try statement.bind(created, at: 3)
        try statement.bind(due, at: 4)
        try statement.bind(completion?.time, at: 5)
        try statement.bind(completion?.keptFrom, at: 6)
        try statement.bind(completion?.cleared, at: 7)
        try statement.bind(hasReminder ? 1 : 0, at: 8)
        switch content {
        case .protected(let words): try statement.bind(text: words.text, at: 9)
        case .plain(let text):
            try statement.bind(text: text.name, at: 10)
            try statement.bind(NameKey(text.name).forSorting, at: 11)
            try statement.bind(text: text.notes, at: 12)
        }
        try statement.bind(completion.map { $0.cleared == nil ? 1 : 2 } ?? 0, at: 13)
    }
}
