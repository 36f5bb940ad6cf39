internal import Database
internal import TextCoding

extension Transaction {
    /// How many ids one statement gets: far fewer than the longest text that SQLite takes has room for.
    private static let mostIDs = 8_192
    /// How many long notes one statement reads: 32 MiB.
    private static let mostNotes = 128

    /// Reads the tasks of a list page by page, each with two statements and one for long notes.
    func tasks(_ listing: TaskListSQL, limit: Int?) throws -> [TodoTask] {
        var found: [TodoTask] = []
        var known = Set<TaskID>()
        let most = max(limit ?? .max, 0)
        while true {
            let left = most - found.count
            // If rows are left out here, the next page is as large as all before: each one sorts again.
            let wanted = listing.unchecked.isEmpty ? left : max(left, known.count)
            let count = min(wanted, pageSize)
            let page = [count, known.count].map { DatabaseValue.integer(Int64($0)) }
            let tasks = try tasks(listing.sql, page + listing.values)
            // A server that repeats rows must not cause an endless loop.
            for task in tasks where !known.insert(task.id).inserted {
                throw DatabaseError.damagedTask
            }
            found += tasks.lazy.filter { $0.has(listing.unchecked) }.prefix(left)
            guard tasks.count == count, found.count < most else { return found }
        }
    }

    /// The place of the label that the fewest tasks have; nil without labels, and if all are frequent.
    func rarest(of labels: [TaskLabel]) throws -> Int? {
        // Few rows are counted first, so that a frequent label costs nothing beside a rare one.
        for most: Int64 in [200, 1_000, 5_000] {
            var (least, place) = (most, Int?.none)
            for (index, label) in labels.enumerated() where least > 0 {
                let count = try row(
                    "SELECT count(*) FROM (SELECT 1 FROM labels WHERE label = $1 LIMIT $2)",
                    [.bytes(label.key), .integer(least)]
                ) { try $0.integer(0) }
                if let count, count < least { (least, place) = (count, index) }
            }
            if let place { return place }
        }
        return nil
    }

    /// Reads the tasks of ids, in any order.
    func tasks(_ ids: [TaskID]) throws -> [TodoTask] {
        try parts(ids, of: Self.mostIDs) { ids in
            try tasks(
                SQL(
                    sqlite: """
                        SELECT id, revision, created, due, completed, kept_from, cleared, wait,
                            reminder, snooze, repetition, priority, list, tags, nickname, words,
                            name, notes, further
                        FROM tasks WHERE id IN (SELECT value FROM json_each($1))
                        """,
                    postgreSQL: """
                        SELECT id, revision, created, due, completed, kept_from, cleared, wait,
                            reminder, snooze, repetition, priority, list, tags, nickname, words,
                            name, CASE WHEN octet_length(notes) + octet_length(further) <= 2048
                            THEN notes END, CASE WHEN octet_length(notes)
                                + octet_length(further) <= 2048 THEN further END
                        FROM tasks
                        WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                        """), [ids])
        }
    }

    /// Reads one task by one statement, which sees one snapshot even outside a transaction.
    func task(_ id: TaskID) throws -> TodoTask? {
        var task: TodoTask?
        var subtasks: [StoredSubtask] = []
        _ = try rows(
            """
            SELECT id, revision, created, due, completed, kept_from, cleared, wait, reminder, snooze,
                repetition, priority, list, tags, nickname, words, name, notes, further,
                CAST(0 AS bigint)
            FROM tasks WHERE id = $1
            UNION ALL
            SELECT id, done, position, due, NULL, NULL, NULL, NULL, reminder, snooze,
                NULL, NULL, NULL, NULL, NULL, NULL, name, NULL, NULL, CAST(1 AS bigint)
            FROM subtasks WHERE task = $1
            ORDER BY 20, 3
            """, [.text(id.text)]
        ) { row in
            if try row.integer(19) == 0 {
                task = try TodoTask(row)
                if row.isNull(17), !row.isNull(16) { throw DatabaseError.damagedTask }
            } else {
                subtasks.append(
                    StoredSubtask(
                        name: try row.optionalText(16),
                        step: SubtaskRow(
                            id: try row.taskID(0), isDone: try row.integer(1) != 0,
                            due: try row.time(3), reminder: try row.time(8),
                            snooze: try row.time(9))))
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
            if row.isNull(17), !row.isNull(16) { long.append(task.id) }
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
                (text.notes, text.further) = notes
                tasks[index].content = .plain(text)
            }
            if let subtasks = found[tasks[index].id.text] {
                try tasks[index].add(subtasks.map(\.subtask))
            }
        }
        return tasks
    }

    private func notes(
        _ ids: DatabaseValue
    ) throws -> [(TaskID, (notes: String, further: String))] {
        try rows(
            SQL(
                sqlite: """
                    SELECT id, notes, further FROM tasks
                    WHERE id IN (SELECT value FROM json_each($1))
                    """,
                postgreSQL: """
                    SELECT id, notes, further FROM tasks
                    WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                    """), [ids]
        ) { row in
            guard let notes = try row.optionalText(1) else { throw DatabaseError.damagedTask }
            return (try row.taskID(0), (notes, try row.text(2)))
        }
    }

    /// Reads the subtasks of tasks, page by page of the key.
    private func subtasks(
        _ ids: DatabaseValue
    ) throws -> [(task: String, subtask: StoredSubtask)] {
        var found: [(task: String, subtask: StoredSubtask)] = []
        var last = (task: "", position: Int64.min)
        while true {
            let start = last
            let page = try rows(
                SQL(
                    // A unary plus keeps SQLite from using the index for this term.
                    sqlite: """
                        SELECT task, id, name, done, position, due, reminder, snooze FROM subtasks
                        WHERE task IN (SELECT value FROM json_each($1))
                            AND (+task, +position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """,
                    postgreSQL: """
                        SELECT task, id, name, done, position, due, reminder, snooze FROM subtasks
                        WHERE task = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                            AND (task, position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """),
                [
                    ids, .text(start.task), .integer(start.position), .integer(Int64(pageSize)),
                ]
            ) { row in
                let subtask = StoredSubtask(
                    name: try row.optionalText(2),
                    step: SubtaskRow(
                        id: try row.taskID(1), isDone: try row.integer(3) != 0,
                        due: try row.time(5), reminder: try row.time(6),
                        snooze: try row.time(7)))
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
    static let columns = publicColumns + "notes, further"

    /// The columns of a list on a server, where long notes are missing: 128 MiB of them must not become one answer.
    static let shortColumns =
        publicColumns
        + "CASE WHEN octet_length(notes) + octet_length(further) <= 2048 THEN notes END, "
        + "CASE WHEN octet_length(notes) + octet_length(further) <= 2048 THEN further END"

    private static let publicColumns =
        "id, revision, created, due, completed, kept_from, cleared, wait, reminder, snooze, "
        + "repetition, priority, list, tags, nickname, words, name, "

    /// Adds subtasks: with names to a plain task, without names to a protected one.
    fileprivate mutating func add(_ subtasks: [StoredSubtask]) throws {
        if subtasks.isEmpty { return }
        let named = subtasks.compactMap { subtask in
            subtask.name.map { TodoSubtask(subtask.step, name: $0) }
        }
        if var text = plainText {
            guard named.count == subtasks.count else { throw DatabaseError.damagedTask }
            text.subtasks = named
            content = .plain(text)
        } else {
            guard named.isEmpty else { throw DatabaseError.damagedTask }
            steps = subtasks.map(\.step)
        }
    }

    /// Reads a row of ``columns``, without subtasks, and without notes if they are NULL.
    ///
    /// - Throws: `DatabaseError.damaged` for a row that this program never writes.
    init(_ row: any Row) throws {
        let content: Content
        switch (try row.textID(15), try row.optionalText(16), try row.optionalText(17)) {
        case (let words?, nil, nil): content = .protected(words)
        case (nil, let name?, let notes):
            var text = TaskText(name: name, notes: notes ?? "")
            if notes != nil { text.further = try row.text(18) }
            content = .plain(text)
        default: throw DatabaseError.damagedTask
        }
        let completed = try row.time(4)
        let (keptFrom, cleared) = (try row.time(5), try row.time(6))
        let rule = try row.optionalText(10)
        let repetition = try? rule.map { try RepeatRule(rule: $0) }
        guard let revision = UInt64(exactly: try row.integer(1)), revision > 0,
            completed != nil || (keptFrom == nil && cleared == nil),
            let priority = TaskPriority(rawValue: try row.integer(11)),
            (rule == nil) == (repetition == nil)
        else { throw DatabaseError.damagedTask }
        self.init(
            id: try row.taskID(0), content: content, due: try row.time(3),
            created: PointInTime(milliseconds: try row.integer(2)),
            completion: completed.map {
                TaskCompletion(time: $0, keptFrom: keptFrom, cleared: cleared)
            },
            reminder: try row.time(8), revision: revision)
        wait = try row.time(7)
        snooze = try row.time(9)
        self.repetition = repetition
        self.priority = priority
        list = try row.optionalText(12)
        // A blank and a mark after it are one character.
        tags = try row.text(13).unicodeScalars.split(separator: " ").map { String($0) }
        nickname = try row.optionalText(14)
    }

    /// The values of all columns of `tasks`, in their order.
    var values: [DatabaseValue] {
        let text = plainText
        return [
            .text(id.text), .integer(Int64(clamping: revision)), .integer(created.milliseconds),
            .integer(due?.milliseconds), .integer(completion?.time.milliseconds),
            .integer(completion?.keptFrom.milliseconds),
            .integer(completion?.cleared?.milliseconds), .integer(wait?.milliseconds),
            .integer(reminder?.milliseconds), .integer(snooze?.milliseconds),
            .text(repetition?.text), .integer(priority.rawValue), .text(list),
            .text(tags.joined(separator: " ")), .text(nickname), .text(textID?.text),
            .text(text?.name), .bytes(text.map { NameKey($0.name).forSorting }),
            .text(text?.notes), .text(text?.further),
            .integer(completion.map { $0.cleared == nil ? 1 : 2 } ?? 0),
        ]
    }

    /// The keys of its list and its tags in the table `labels`.
    var labels: Set<[UInt8]> {
        var keys = Set(tags.map { TaskLabel.tag($0).key })
        if let list { keys.insert(TaskLabel.list(list).key) }
        return keys
    }

    /// Whether it has all of some labels, without a set.
    func has(_ labels: [TaskLabel]) -> Bool {
        labels.allSatisfy { label in
            switch label {
            case .list: list.map { TaskLabel.list($0) == label } ?? false
            case .tag: tags.contains { TaskLabel.tag($0) == label }
            }
        }
    }
}

/// A row of `subtasks`.
private struct StoredSubtask {
    /// nil if it is in the vault.
    let name: String?
    let step: SubtaskRow
}

/// A list or a tag, for filters. Case does not matter (`NameKey`).
public enum TaskLabel: Sendable, Hashable {
    case list(String)
    case tag(String)

    /// Compares as filters do.
    public static func == (left: TaskLabel, right: TaskLabel) -> Bool { left.key == right.key }

    /// Hashes as ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The key in the table `labels`.
    var key: [UInt8] {
        switch self {
        case .list(let name): [UInt8(ascii: "l")] + NameKey(name).bytes
        case .tag(let name): [UInt8(ascii: "t")] + NameKey(name).bytes
        }
    }
}

extension Row {
    /// A column with the id of a task.
    func taskID(_ column: Int32) throws -> TaskID {
        guard let id = TaskID(stored: try text(column)) else { throw DatabaseError.damagedTask }
        return id
    }

    /// A column with the id of protected text, or NULL.
    func textID(_ column: Int32) throws -> ProtectedTextID? {
        guard let text = try optionalText(column) else { return nil }
        guard let id = ProtectedTextID(text) else { throw DatabaseError.damagedTask }
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
