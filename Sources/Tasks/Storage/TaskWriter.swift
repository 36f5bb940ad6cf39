internal import Database

/// Changes tasks inside one transaction. Valid only during the call that lends it.
///
/// A call afterwards throws `DatabaseError.closed`.
public final class TaskWriter {
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    /// Reads a task, cleared ones included, as it is in this transaction; nil if there is none.
    public func task(_ id: TaskID) throws -> TodoTask? {
        try transaction.task(id)
    }

    /// Adds a task with revision 1, and counts its completion if it has one.
    ///
    /// - Throws: ``TaskListError/alreadyExists(_:)``; ``TaskListError/invalidText(_:)``.
    public func insert(_ task: TodoTask) throws {
        try insert(task, revision: 1)
    }

    /// The same with another revision.
    func insert(_ task: TodoTask, revision: UInt64) throws {
        try task.requireStorable()
        var task = task
        task.revision = revision
        let inserted = try transaction.change(
            """
            INSERT INTO tasks (id, revision, created, due, completed, kept_from, cleared, reminder,
                words, name, name_key, notes, state)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            ON CONFLICT (id) DO NOTHING
            """, task.values)
        guard inserted == 1 else { throw TaskListError.alreadyExists(task.id) }
        try insertSubtasks(of: task)
        if let time = task.completion?.time { try countCompletion(of: task.id, at: time) }
    }

    /// Replaces a task and its subtasks if it still has the revision `task.revision`.
    ///
    /// A new completion is counted; one that is taken back is no longer counted.
    ///
    /// - Returns: The task as it is now, with the next revision.
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/conflict(_:found:)``; ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func replace(_ task: TodoTask) throws -> TodoTask {
        let old = try current(task.id, expecting: task.revision)
        try task.requireStorable()
        guard task.revision < UInt64(Int64.max) else {
            throw DatabaseError.damaged(reason: "a revision is out of range")
        }
        var task = task
        task.revision += 1
        try transaction.change(
            """
            UPDATE tasks SET revision = $2, created = $3, due = $4, completed = $5, kept_from = $6,
                cleared = $7, reminder = $8, words = $9, name = $10, name_key = $11, notes = $12,
                state = $13
            WHERE id = $1
            """, task.values)
        if !task.hasSameSubtasks(as: old) {
            try removeSubtasks(of: task.id)
            try insertSubtasks(of: task)
        }
        if old.completion?.time != task.completion?.time {
            if let time = old.completion?.time { try removeCompletion(of: task.id, at: time) }
            if let time = task.completion?.time { try countCompletion(of: task.id, at: time) }
        }
        return task
    }

    /// Removes a task and its subtasks if it still has the revision; nil removes any revision.
    ///
    /// Its completion stays counted. No intent is made.
    ///
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/conflict(_:found:)``.
    public func remove(_ id: TaskID, expecting revision: UInt64?) throws {
        _ = try current(id, expecting: revision)
        try remove(id)
    }

    /// The task, if it has this revision.
    private func current(_ id: TaskID, expecting revision: UInt64?) throws -> TodoTask {
        guard let task = try task(id) else { throw TaskListError.missing(id) }
        if let revision, revision != task.revision {
            throw TaskListError.conflict(id, found: task.revision)
        }
        return task
    }

    private func remove(_ id: TaskID) throws {
        try transaction.change("DELETE FROM tasks WHERE id = $1", [.text(id.text)])
        try removeSubtasks(of: id)
    }

    /// Removes all tasks, completions and intents, except for intents to erase.
    ///
    /// - Returns: The revisions of the tasks, and whether they were protected.
    func removeAll() throws -> [TaskID: (revision: UInt64, isProtected: Bool)] {
        let known = try transaction.rows("SELECT id, revision, words FROM tasks") {
            (
                try $0.taskID(0),
                (revision: UInt64(exactly: try $0.integer(1)) ?? 0, isProtected: !$0.isNull(2))
            )
        }
        try transaction.change("DELETE FROM tasks")
        try transaction.change("DELETE FROM subtasks")
        try transaction.change("DELETE FROM completions")
        try transaction.change(
            "DELETE FROM intents WHERE kind <> $1", [.integer(VaultIntent.Kind.erasing.rawValue)])
        return Dictionary(known) { $0.revision < $1.revision ? $1 : $0 }
    }

    private func insertSubtasks(of task: TodoTask) throws {
        for (position, subtask) in (task.plainText?.subtasks ?? []).enumerated() {
            try transaction.change(
                "INSERT INTO subtasks (task, position, id, name, done) VALUES ($1, $2, $3, $4, $5)",
                [
                    .text(task.id.text), .integer(Int64(position)), .text(subtask.id.text),
                    .text(subtask.name), .integer(subtask.isDone ? 1 : 0),
                ])
        }
    }

    private func removeSubtasks(of id: TaskID) throws {
        try transaction.change("DELETE FROM subtasks WHERE task = $1", [.text(id.text)])
    }
}

// Completions, clearing and intents.
extension TaskWriter {
    /// Counts a completion. A copy of a database also counts those of tasks that are gone.
    public func countCompletion(of id: TaskID, at time: PointInTime) throws {
        try transaction.change(
            "INSERT INTO completions (time, task) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.integer(time.milliseconds), .text(id.text)])
    }

    private func removeCompletion(of id: TaskID, at time: PointInTime) throws {
        try transaction.change(
            "DELETE FROM completions WHERE time = $1 AND task = $2",
            [.integer(time.milliseconds), .text(id.text)])
    }

    /// Hides the done tasks that are kept from before `limit`, and stores `now` as the time of the clearing.
    ///
    /// - Returns: The number of tasks.
    public func clear(keptBefore limit: PointInTime, at now: PointInTime) throws -> Int {
        try transaction.change(
            SQL(
                sqlite: """
                    UPDATE tasks INDEXED BY tasks_to_clear
                    SET state = 2, cleared = $2, revision = revision + 1
                    WHERE state = 1 AND kept_from < $1
                    """,
                postgreSQL: """
                    UPDATE tasks SET state = 2, cleared = $2, revision = revision + 1
                    WHERE state = 1 AND kept_from < $1
                    """), [.integer(limit.milliseconds), .integer(now.milliseconds)])
    }

    /// Shows the tasks again that were cleared at `start` or later, and keeps them from `now` on.
    ///
    /// - Returns: The number of tasks.
    public func restore(clearedFrom start: PointInTime, at now: PointInTime) throws -> Int {
        try transaction.change(
            SQL(
                sqlite: """
                    UPDATE tasks INDEXED BY tasks_to_purge
                    SET state = 1, cleared = NULL, kept_from = $2, revision = revision + 1
                    WHERE state = 2 AND cleared >= $1
                    """,
                postgreSQL: """
                    UPDATE tasks
                    SET state = 1, cleared = NULL, kept_from = $2, revision = revision + 1
                    WHERE state = 2 AND cleared >= $1
                    """), [.integer(start.milliseconds), .integer(now.milliseconds)])
    }

    /// Removes the tasks for good that were cleared before `limit`. The text of protected ones gets the intent *discarding*.
    ///
    /// - Returns: The number of tasks.
    public func purge(clearedBefore limit: PointInTime) throws -> Int {
        let cleared = try transaction.rows(
            SQL(
                sqlite: """
                    SELECT id, words FROM tasks INDEXED BY tasks_to_purge
                    WHERE state = 2 AND cleared < $1
                    """,
                postgreSQL: "SELECT id, words FROM tasks WHERE state = 2 AND cleared < $1"),
            [.integer(limit.milliseconds)]
        ) { (id: try $0.taskID(0), words: try $0.wordsID(1)) }
        for task in cleared {
            try remove(task.id)
            if let words = task.words { try put(VaultIntent(.discarding, words)) }
        }
        return cleared.count
    }

    /// Stores an intent, in place of an earlier one of the same text.
    public func put(_ intent: VaultIntent) throws {
        try transaction.change(
            """
            INSERT INTO intents (words, kind, time) VALUES ($1, $2, $3)
            ON CONFLICT (words) DO UPDATE SET kind = $2, time = $3
            """,
            [
                .text(intent.words.text), .integer(intent.kind.rawValue),
                .integer(intent.time.milliseconds),
            ])
    }

    /// Removes an intent, whatever its time.
    ///
    /// - Returns: Whether there was one of this kind.
    public func take(_ intent: VaultIntent) throws -> Bool {
        try transaction.change(
            "DELETE FROM intents WHERE words = $1 AND kind = $2",
            [.text(intent.words.text), .integer(intent.kind.rawValue)]) == 1
    }
}

extension TodoTask {
    /// Makes sure that a database can store the task.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    fileprivate func requireStorable() throws {
        if let text = plainText { try TaskTextRule.check(text) }
    }

    /// Compares bytes, because Swift's `String` calls different spellings equal.
    fileprivate func hasSameSubtasks(as other: TodoTask) -> Bool {
        let (own, others) = (plainText?.subtasks ?? [], other.plainText?.subtasks ?? [])
        return own.elementsEqual(others) {
            $0 == $1 && $0.name.utf8.elementsEqual($1.name.utf8)
        }
    }
}
