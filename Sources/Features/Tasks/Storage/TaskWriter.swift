internal import Database

/// Changes tasks inside one transaction. After ``TaskRepository/change(as:_:)``, its calls throw `DatabaseError.closed`.
public final class TaskWriter {
    let transaction: Transaction
    /// The command that `task undo` can revert; nil for other changes.
    let command: UndoableCommand?

    init(_ transaction: Transaction, _ command: UndoableCommand?) {
        self.transaction = transaction
        self.command = command
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
    package func insert(_ task: TodoTask, revision: UInt64) throws {
        try task.requireStorable()
        var task = task
        task.revision = revision
        let inserted = try transaction.change(.insertTask, task.values)
        guard inserted == 1 else { throw TaskListError.alreadyExists(task.id) }
        try recordInsertion(of: task)
        try insertSubtasks(of: task)
        for label in task.labels { try insert(label, of: task.id) }
        // A removed plain task may come back as a protected one.
        if task.isProtected, try removeText(of: task.id) {
            try put(VaultIntent(.erasing, ProtectedTextID(of: task.id)))
        }
        if let time = task.completion?.time { try countCompletion(of: task.id, at: time) }
    }

    /// Replaces a task and its subtasks if it still has the revision `task.revision`.
    ///
    /// A new completion is counted. A removed completion is no longer counted.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - changesText: Whether text in the vault was changed too, which `task undo` cannot revert.
    /// - Returns: The task as it is now, with the next revision.
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/conflict(_:found:)``; ``TaskListError/invalidText(_:)``;
    ///   ``TaskListError/circular(_:)``.
    @discardableResult
    public func replace(_ task: TodoTask, changesText: Bool = false) throws -> TodoTask {
        let old = try current(task.id, expecting: task.revision)
        try task.requireStorable()
        guard task.revision < UInt64(Int64.max) else {
            throw DatabaseError.damaged(reason: "a revision is out of range")
        }
        var task = task
        if task.dependencies != old.dependencies { try requireOrder(of: task) }
        task.revision += 1
        try record(old, after: task.revision, isHidden: task.textID != old.textID || changesText)
        try transaction.change(.updateTask, task.values)
        if task.isProtected, !old.isProtected { _ = try removeText(of: task.id) }
        if !task.hasSameSubtasks(as: old) {
            try removeSubtasks(of: task.id)
            try insertSubtasks(of: task)
        }
        for label in old.labels.subtracting(task.labels) { try remove(label, of: task.id) }
        for label in task.labels.subtracting(old.labels) { try insert(label, of: task.id) }
        if old.completion?.time != task.completion?.time {
            if let time = old.completion?.time { try removeCompletion(of: task.id, at: time) }
            if let time = task.completion?.time { try countCompletion(of: task.id, at: time) }
        }
        return task
    }

    /// Makes sure that no task comes before itself, not even by way of others.
    private func requireOrder(of task: TodoTask) throws {
        var known: Set<TaskID> = []
        var next = task.dependencies
        while let id = next.popLast() {
            guard id != task.id else { throw TaskListError.circular(task.id) }
            if known.insert(id).inserted { next += try self.task(id)?.dependencies ?? [] }
        }
    }

    /// Lets no open task wait for a task any more, which was done and repeats.
    func release(from id: TaskID) throws {
        for dependent in try transaction.dependents(of: id) {
            guard var task = try task(dependent) else { continue }
            task.dependencies.removeAll { $0 == id }
            try replace(task)
        }
    }

    /// Removes a task and its subtasks if it still has the revision; nil removes any revision.
    ///
    /// Its completion stays counted. No intent is made.
    ///
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/conflict(_:found:)``.
    public func remove(_ id: TaskID, expecting revision: UInt64?) throws {
        let old = try current(id, expecting: revision)
        try record(old, after: nil)
        try remove(id, old.labels)
    }

    /// The task, if it has this revision.
    private func current(_ id: TaskID, expecting revision: UInt64?) throws -> TodoTask {
        guard let task = try task(id) else { throw TaskListError.missing(id) }
        if let revision, revision != task.revision {
            throw TaskListError.conflict(id, found: task.revision)
        }
        return task
    }

    private func remove(_ id: TaskID, _ labels: Set<[UInt8]>) throws {
        try transaction.change("DELETE FROM tasks WHERE id = $1", [.text(id.text)])
        try removeSubtasks(of: id)
        for label in labels { try remove(label, of: id) }
    }

    /// Removes all tasks, completions and intents, but keeps the intents to erase a text from the vault.
    ///
    /// - Returns: The revision of each removed task, and whether it was protected.
    func removeAll() throws -> [TaskID: (revision: UInt64, isProtected: Bool)] {
        let known = try transaction.rows("SELECT id, revision, text_id FROM tasks") {
            (
                try $0.taskID(0),
                (revision: UInt64(exactly: try $0.integer(1)) ?? 0, isProtected: !$0.isNull(2))
            )
        }
        try transaction.change("DELETE FROM tasks")
        try transaction.change("DELETE FROM subtasks")
        try transaction.change("DELETE FROM labels")
        try transaction.change("DELETE FROM changes")
        try transaction.change("DELETE FROM completions")
        try transaction.change(
            "DELETE FROM intents WHERE kind <> $1", [.integer(VaultIntent.Kind.erasing.rawValue)])
        return Dictionary(known) { $0.revision < $1.revision ? $1 : $0 }
    }

    private func insertSubtasks(of task: TodoTask) throws {
        let subtasks = task.plainText?.subtasks
        for (position, row) in task.allSubtaskRows.enumerated() {
            try transaction.change(
                """
                INSERT INTO subtasks (task, position, id, name, done, due, reminder, snooze)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """,
                [
                    .text(task.id.text), .integer(Int64(position)), .text(row.id.text),
                    .text(subtasks?[position].name), .integer(row.isDone ? 1 : 0),
                    .time(row.due), .time(row.reminder), .time(row.snooze.map { .moment($0) }),
                ])
        }
    }

    private func insert(_ label: [UInt8], of id: TaskID) throws {
        try transaction.change(
            "INSERT INTO labels (label, task) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.bytes(label), .text(id.text)])
    }

    private func remove(_ label: [UInt8], of id: TaskID) throws {
        try transaction.change(
            "DELETE FROM labels WHERE label = $1 AND task = $2", [.bytes(label), .text(id.text)])
    }

    private func removeSubtasks(of id: TaskID) throws {
        try transaction.change("DELETE FROM subtasks WHERE task = $1", [.text(id.text)])
    }
}

// Completions, clearing and intents.
extension TaskWriter {
    /// Counts a completion. A copy of a database also counts completions of removed tasks.
    public func countCompletion(of id: TaskID, at time: PointInTime) throws {
        try transaction.change(
            "INSERT INTO completions (time, task) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.time(time), .text(id.text)])
    }

    package func removeCompletion(of id: TaskID, at time: PointInTime) throws {
        try transaction.change(
            "DELETE FROM completions WHERE time = $1 AND task = $2",
            [.time(time), .text(id.text)])
    }

    /// Hides the done tasks that are kept from before `limit`, and stores `now` as the time of the clearing.
    ///
    /// - Returns: The number of tasks.
    public func clear(keptBefore limit: PointInTime, at now: PointInTime) throws -> Int {
        try recordClearing(keptBefore: limit)
        let count = try transaction.change(
            SQL(
                sqlite: """
                    UPDATE tasks INDEXED BY tasks_to_clear
                    SET state = 2, cleared = $2, revision = revision + 1
                    WHERE state = 1 AND kept_from < $1
                    """,
                postgreSQL: """
                    UPDATE tasks SET state = 2, cleared = $2, revision = revision + 1
                    WHERE state = 1 AND kept_from < $1
                    """), [.time(limit), .time(now)])
        if command == nil, count > 0 { try raiseRevisions(inChangesOfTasksClearedAt: now) }
        return count
    }

    /// Shows the tasks again that were cleared at `start` or later, and keeps them from `now` on.
    ///
    /// - Returns: The number of tasks.
    public func restore(clearedFrom start: PointInTime, at now: PointInTime) throws -> Int {
        try recordRestoring(clearedFrom: start)
        return try transaction.change(
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
                    """), [.time(start), .time(now)])
    }

    /// Removes the tasks that were cleared before `limit`. The text of protected ones gets the intent *discarding*.
    ///
    /// - Returns: The number of tasks.
    public func purge(clearedBefore limit: PointInTime) throws -> Int {
        let cleared = try transaction.rows(
            SQL(
                sqlite: """
                    SELECT id FROM tasks INDEXED BY tasks_to_purge
                    WHERE state = 2 AND cleared < $1
                    """,
                postgreSQL: "SELECT id FROM tasks WHERE state = 2 AND cleared < $1"),
            [.time(limit)]
        ) { try $0.taskID(0) }
        for task in try transaction.tasks(cleared) {
            try remove(task.id, task.labels)
            if let textID = task.textID { try put(VaultIntent(.discarding, textID)) }
        }
        return cleared.count
    }

    /// Stores an intent, in place of an earlier one of the same text.
    public func put(_ intent: VaultIntent) throws {
        try transaction.change(
            """
            INSERT INTO intents (text_id, kind, time) VALUES ($1, $2, $3)
            ON CONFLICT (text_id) DO UPDATE SET kind = $2, time = $3
            """,
            [
                .text(intent.textID.text), .integer(intent.kind.rawValue),
                .time(intent.time),
            ])
    }

    /// Removes an intent of any time.
    ///
    /// - Returns: Whether there was one of this kind.
    public func take(_ intent: VaultIntent) throws -> Bool {
        try transaction.change(
            "DELETE FROM intents WHERE text_id = $1 AND kind = $2",
            [.text(intent.textID.text), .integer(intent.kind.rawValue)]) == 1
    }
}

extension SQL {
    fileprivate static let insertTask = SQL(
        constant: """
            INSERT INTO tasks (\(TaskColumn.names(TaskColumn.all)))
            VALUES (\(TaskColumn.all.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
            ON CONFLICT (id) DO NOTHING
            """)

    /// The id is the first value.
    fileprivate static let updateTask = SQL(
        constant: "UPDATE tasks SET "
            + zip(TaskColumn.all, 1...).dropFirst().map { "\($0.name) = $\($1)" }
            .joined(separator: ", ") + " WHERE id = $1")
}

extension Transaction {
    /// Whether there are done tasks kept from before a time, or tasks cleared before another.
    func hasOld(keptBefore: PointInTime?, clearedBefore: PointInTime?) throws -> Bool {
        let limits = [keptBefore, clearedBefore].map { $0 ?? PointInTime(milliseconds: .min) }
        return try row(
            SQL(
                sqlite: """
                    SELECT 1 WHERE EXISTS (
                            SELECT 1 FROM tasks INDEXED BY tasks_to_clear
                            WHERE state = 1 AND kept_from < $1)
                        OR EXISTS (
                            SELECT 1 FROM tasks INDEXED BY tasks_to_purge
                            WHERE state = 2 AND cleared < $2)
                    """,
                postgreSQL: """
                    SELECT 1 WHERE EXISTS (SELECT 1 FROM tasks WHERE state = 1 AND kept_from < $1)
                        OR EXISTS (SELECT 1 FROM tasks WHERE state = 2 AND cleared < $2)
                    """), limits.map { .time($0) }
        ) { _ in true } ?? false
    }
}

extension TodoTask {
    /// Makes sure that a database can store the task.
    ///
    /// - Throws: ``TaskListError/invalidText(_:)``.
    fileprivate func requireStorable() throws {
        if let text = plainText { try TaskTextRule.check(text) }
        try TaskTextRule.check(publicPartOf: self)
    }

    /// Compares bytes, because Swift's `String` calls different spellings equal.
    fileprivate func hasSameSubtasks(as other: TodoTask) -> Bool {
        let (own, others) = (plainText?.subtasks ?? [], other.plainText?.subtasks ?? [])
        return subtaskRows == other.subtaskRows
            && own.elementsEqual(others) {
                $0 == $1 && $0.name.utf8.elementsEqual($1.name.utf8)
            }
    }
}
