internal import Database
internal import TextCoding

extension Transaction {
    /// The maximum number of ids in one statement. SQLite accepts longer texts.
    private static let mostIDs = 8_192
    /// The maximum number of long notes in one answer, which then has at most 32 MiB.
    private static let mostNotes = 128

    /// The rows that are read at once beyond a limit.
    private static let furtherRows = 64

    /// Reads the tasks of a list page by page, each with two statements and one for long notes.
    ///
    /// - Parameters:
    ///   - listing: The statement.
    ///   - limit: The most tasks; nil for all.
    ///   - order: The order of the owner. Tasks beyond the limit that may belong before it are read, too.
    /// - Returns: The tasks in the order of the database.
    /// - Throws: `DatabaseError`.
    func tasks(
        _ listing: TaskSelectionSQL, limit: Int?, _ order: DueOrder? = nil
    ) throws -> [TodoTask] {
        var found: [TodoTask] = []
        var known = Set<TaskID>()
        let limit = max(limit ?? .max, 0)
        var most = limit
        var end: Int64?
        while true {
            let left = most - found.count
            // SQLite sorts again for each page, so a filter that skips rows gets larger and larger pages.
            let wanted = listing.unchecked.isEmpty ? left : max(left, known.count)
            let count = min(wanted, pageSize)
            let page = [count, known.count].map { DatabaseValue.integer(Int64($0)) }
            let tasks = try tasks(listing.sql, page + listing.values)
            known.reserveCapacity(known.count + tasks.count)
            // A server that repeats rows must not cause an endless loop.
            for task in tasks where !known.insert(task.id).inserted {
                throw DatabaseError.damagedTask
            }
            found += tasks.lazy.filter { $0.has(listing.unchecked) }.prefix(left)
            guard tasks.count == count else { return found }
            if found.count < most { continue }
            guard let order, limit > 0, let last = found.last else { return found }
            if end == nil {
                end = try order.end(behind: found[..<limit]) { try hasDue($0) }
            }
            guard let end, order.isNear(last, found[limit - 1], end: end) else { return found }
            most = found.count + Self.furtherRows
        }
    }

    /// Whether there are tasks with one of these stored due times, without cleared ones.
    private func hasDue(_ times: [Int64]) throws -> Bool {
        try times.contains { time in
            try row(
                SQL(
                    sqlite: """
                        SELECT 1 FROM tasks INDEXED BY tasks_by_due
                        WHERE state IN (0, 1) AND (due IS NULL) = 0 AND due = $1 LIMIT 1
                        """,
                    postgreSQL: "SELECT 1 FROM tasks WHERE state IN (0, 1) AND due = $1 LIMIT 1"),
                [.integer(time)]
            ) { _ in true } ?? false
        }
    }

    /// The index of the label that the fewest tasks have; nil without labels, and if all are frequent.
    func rarest(of labels: [TaskLabel]) throws -> Int? {
        // A low limit comes first, so that a frequent label beside a rare one costs little.
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

    /// The tasks that come after a task, in the order of their ids.
    func dependents(of id: TaskID, openOnly: Bool = true) throws -> [TaskID] {
        // No id contains a blank, so a part of the column is a whole id.
        try rows(
            """
            SELECT id FROM tasks WHERE depends <> '' AND depends LIKE $1 AND state <= $2
            ORDER BY id
            """, [.text("%\(id.text)%"), .integer(openOnly ? 0 : 2)]
        ) { try $0.taskID(0) }
    }

    /// Reads the tasks of ids, in any order.
    func tasks(_ ids: [TaskID]) throws -> [TodoTask] {
        try parts(ids, of: Self.mostIDs) { try tasks(.tasksOfIDs, [$0]) }
    }

    /// Reads one task by one statement, which sees one snapshot even outside a transaction.
    func task(_ id: TaskID) throws -> TodoTask? {
        let first = Int32(TaskColumn.readable.count)
        var task: TodoTask?
        var subtasks: [StoredSubtask] = []
        try forEachRow(.task, [.text(id.text)]) { row in
            if row.isNull(first) {
                task = try TodoTask(row)
                if row.lacksNotes { throw DatabaseError.damagedTask }
            } else {
                subtasks.append(try StoredSubtask(row, from: first))
            }
        }
        try task?.add(subtasks)
        return task
    }

    /// Reads the rows of ``TaskColumn/readable``, and their long notes and subtasks.
    private func tasks(_ sql: SQL, _ values: [DatabaseValue]) throws -> [TodoTask] {
        var long: [TaskID] = []
        var tasks = try rows(sql, values) { row in
            let task = try TodoTask(row)
            if row.lacksNotes { long.append(task.id) }
            return task
        }
        let notes = Dictionary(
            try parts(long, of: Self.mostNotes) { try self.notes($0) },
            uniquingKeysWith: { $1 })
        let subtasks = try parts(tasks.map(\.id), of: Self.mostIDs) { try self.subtasks($0) }
        if notes.isEmpty, subtasks.isEmpty { return tasks }
        let found = Dictionary(grouping: subtasks, by: \.task)
        for index in tasks.indices {
            if let notes = notes[tasks[index].id] {
                tasks[index].changePlainText { ($0.notes, $0.further) = notes }
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

    /// Reads the subtasks of tasks page by page, in the order of the key.
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
                        SELECT task, position, id, name, done, due, reminder, snooze FROM subtasks
                        WHERE task IN (SELECT value FROM json_each($1))
                            AND (+task, +position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """,
                    postgreSQL: """
                        SELECT task, position, id, name, done, due, reminder, snooze FROM subtasks
                        WHERE task = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                            AND (task, position) > ($2, $3)
                        ORDER BY task, position LIMIT $4
                        """),
                [
                    ids, .text(start.task), .integer(start.position), .integer(Int64(pageSize)),
                ]
            ) { row in
                last = (try row.text(0), try row.integer(1))
                return (task: last.task, subtask: try StoredSubtask(row, from: 2))
            }
            found += page
            guard page.count == pageSize else { return found }
            // A server that repeats rows must not cause an endless loop.
            guard start < last else { throw DatabaseError.damagedTask }
        }
    }

    /// Runs a statement for one part of the ids after another. Its parameter is a JSON array, which both databases can read.
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

extension SQL {
    fileprivate static let tasksOfIDs = SQL(
        constantForSQLite: """
            SELECT \(TaskColumn.readableNames) FROM tasks
            WHERE id IN (SELECT value FROM json_each($1))
            """,
        postgreSQL: """
            SELECT \(TaskColumn.namesWithShortNotes) FROM tasks
            WHERE id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
            """)

    /// A task and its subtasks. Each row has the columns of one of them; the others are NULL.
    fileprivate static let task = SQL(
        constant: """
            SELECT \(TaskColumn.readableNames), NULL, NULL, NULL, NULL, NULL, NULL, NULL
            FROM tasks WHERE id = $1
            UNION ALL
            SELECT \(TaskColumn.readable.map { _ in "NULL" }.joined(separator: ", ")),
                id, name, done, due, reminder, snooze, position
            FROM subtasks WHERE task = $1
            ORDER BY \(TaskColumn.readable.count + 7)
            """)
}

extension TaskColumn {
    /// The names of ``readable`` for a list on a server, without long notes: 128 MiB of them must not become one answer.
    static let namesWithShortNotes = readable.map { column in
        guard ["notes", "further"].contains(column.name) else { return column.name }
        return "CASE WHEN octet_length(notes) + octet_length(further) <= 2048 "
            + "THEN \(column.name) END"
    }.joined(separator: ", ")
}

extension Row {
    /// Whether a row of ``TaskColumn/readable`` is that of a plain task whose notes were too long for the answer.
    fileprivate var lacksNotes: Bool { isNull(TaskColumn.notes) && isNull(TaskColumn.textID) }
}

extension TodoTask {
    /// Adds subtasks: those of a plain task have names, those of a protected one have none.
    fileprivate mutating func add(_ subtasks: [StoredSubtask]) throws {
        if subtasks.isEmpty { return }
        guard subtasks.allSatisfy({ ($0.name == nil) == isProtected }) else {
            throw DatabaseError.damagedTask
        }
        allSubtasks = subtasks.map { TodoSubtask($0.row, name: $0.name ?? "") }
    }

    /// The keys of its list and its tags in the table `labels`.
    var labels: Set<[UInt8]> {
        var keys = Set(tags.map { TaskLabel.tag($0).key })
        if let list { keys.insert(TaskLabel.list(list).key) }
        return keys
    }

    /// Whether the task has all of the labels.
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
    /// The name; nil if it is in the vault.
    let name: String?
    let row: SubtaskRow

    /// Reads the columns `id, name, done, due, reminder, snooze`, the first of which has this number.
    init(_ row: any Row, from first: Int32) throws {
        name = try row.optionalText(first + 1)
        self.row = SubtaskRow(
            id: try row.taskID(first), isDone: try row.integer(first + 2) != 0,
            due: try row.dayOrTime(first + 3), reminder: try row.dayOrTime(first + 4),
            snooze: try row.snooze(first + 5))
    }
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
