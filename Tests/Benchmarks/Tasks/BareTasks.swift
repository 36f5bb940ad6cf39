internal import CSQLite
internal import Tasks

/// The bare C calls for tasks: prepared once, and nothing made of what they find.
final class BareTasks {
    let database: BareDatabase
    private let pages: [TaskOrder: BareStatement]
    /// The number of columns from which a task is read.
    private let columnCount: Int32
    private let subtasks: BareStatement
    private let begin: BareStatement
    private let commit: BareStatement
    private let insertTask: BareStatement
    private let insertSubtask: BareStatement
    private let insertCompletion: BareStatement
    private let insertLabel: BareStatement
    private let insertChange: BareStatement
    private let update: BareStatement

    init(_ path: String) throws {
        database = try BareDatabase(path)
        let all = try database.columns(of: "tasks")
        let columns = all.filter { !["name_key", "state"].contains($0) }
        columnCount = Int32(columns.count)
        var pages: [TaskOrder: BareStatement] = [:]
        for order in TaskOrder.allCases {
            pages[order] = try database.prepare(
                Self.page(order, columns.joined(separator: ", ")))
        }
        self.pages = pages
        subtasks = try database.prepare(
            "SELECT id, name, done, due, reminder, snooze FROM subtasks WHERE task = ?1 "
                + "ORDER BY position")
        begin = try database.prepare("BEGIN IMMEDIATE")
        commit = try database.prepare("COMMIT")
        insertTask = try database.prepareInsert("tasks")
        insertSubtask = try database.prepareInsert("subtasks")
        insertLabel = try database.prepareInsert("labels")
        insertChange = try database.prepareInsert("changes")
        insertCompletion = try database.prepareInsert("completions")
        let changed = ["revision", "completed", "kept_from", "state"].map { name in
            "\(name) = ?\((all.firstIndex(of: name) ?? -1) + 1)"
        }
        update = try database.prepare(
            "UPDATE tasks SET \(changed.joined(separator: ", ")) WHERE id = ?1")
    }

    /// The statement of a page: open and done tasks, each read from an index and merged.
    private static func page(_ order: TaskOrder, _ columns: String) -> String {
        let (index, key, terms) =
            switch order {
            case .name: ("tasks_by_name", "name_key", "absent, key, id")
            case .nameReversed: ("tasks_by_name_reversed", "name_key", "absent, key DESC, id")
            case .due: ("tasks_by_due", "due", "absent, key, priority DESC, created, id")
            case .priority:
                ("tasks_by_priority", "due", "priority DESC, absent, key, created, id")
            case .created: ("tasks_by_created", "created", "key DESC, id")
            }
        let parts = [0, 1].map {
            "SELECT \(columns), \(key) IS NULL AS absent, \(key) AS key "
                + "FROM tasks INDEXED BY \(index) "
                + "WHERE state = \($0) AND (wait IS NULL OR wait <= \(TaskSample.now.milliseconds * 2))"
        }
        return parts.joined(separator: " UNION ALL ") + " ORDER BY \(terms) LIMIT ?1"
    }

    /// Fetches a page: all columns of so many tasks, and the subtasks of each.
    ///
    /// - Returns: The ids in their order, and the number of subtasks.
    func page(_ order: TaskOrder, limit: Int) throws -> (ids: [UInt64], subtasks: Int) {
        guard let page = pages[order] else { throw BenchmarkFailure("no such order") }
        page.bind(Int64(limit), at: 1)
        defer { page.reset() }
        var ids: [UInt64] = []
        var subtaskCount = 0
        while try page.step() {
            page.fetch(columns: columnCount)
            let id = unsafe page.text(at: 0)
            ids.append(unsafe Self.number(id))
            unsafe subtasks.bind(text: id, at: 1)
            while try subtasks.step() {
                subtasks.fetch(columns: 6)
                subtaskCount += 1
            }
            subtasks.reset()
        }
        return (ids, subtaskCount)
    }

    /// The characters of an id as one number.
    static func number(_ id: UnsafeRawBufferPointer) -> UInt64 {
        unsafe id.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Writes what an addition, or an import, left; durably, in one transaction.
    func insert(_ stored: [StoredTask]) throws {
        try begin.run()
        for task in stored {
            try insertTask.run(task.row)
            for subtask in task.subtasks { try insertSubtask.run(subtask) }
            for completion in task.completions { try insertCompletion.run(completion) }
            for label in task.labels { try insertLabel.run(label) }
            for change in task.changes { try insertChange.run(change) }
        }
        try commit.run()
    }

    /// Writes what marking a task as done left, durably.
    func complete(_ stored: StoredTask) throws {
        try begin.run()
        try update.run(stored.row)
        for completion in stored.completions { try insertCompletion.run(completion) }
        for change in stored.changes { try insertChange.run(change) }
        try commit.run()
    }
}

extension BareDatabase {
    /// The names of a table's columns.
    fileprivate func columns(of table: String) throws -> [String] {
        let statement = try prepare("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
        var names: [String] = []
        while try statement.step() {
            unsafe names.append(String(decoding: statement.text(at: 0), as: UTF8.self))
        }
        statement.reset()
        return names
    }

    /// A statement that inserts a row, in place of one with its key.
    fileprivate func prepareInsert(_ table: String) throws -> BareStatement {
        let places = try columns(of: table).indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        return try prepare("INSERT OR REPLACE INTO \(table) VALUES (\(places))")
    }
}
