public import Database
internal import TextCoding

/// The tasks in a file, on a server, or in memory.
///
/// ``change(as:_:)`` is atomic and durable. The database is treated as hostile. A connection that was lost is opened again by the next
/// call, with every check. Several objects for one database, in one process or more, are allowed.
///
/// Thread-safe: calls wait for one another. A call from inside the function that ``change(as:_:)`` runs never returns.
///
/// Every call throws `DatabaseError`.
public final class TaskRepository: Sendable {
    private let pool: DatabasePool
    /// Whether the list is still in this database.
    private let isCurrent: @Sendable () -> Bool
    private let seen: (any SeenTaskHead)?

    private init(
        _ pool: DatabasePool, _ isCurrent: @escaping @Sendable () -> Bool,
        _ seen: (any SeenTaskHead)?, after known: TaskHead?
    ) throws {
        self.pool = pool
        self.isCurrent = isCurrent
        self.seen = seen
        do {
            try follow(known)
        } catch {
            pool.close()
            throw error
        }
    }

    /// Requires that the list has a change, and records its head.
    private func follow(_ known: TaskHead?) throws {
        guard let seen, seen.rule != .replacing else { return }
        let head = try pool.single { try $0.head(after: known) }
        if seen.rule == .accepting {
            seen.replace(with: head)
        } else if head.number > known?.number ?? 0 {
            seen.raise(to: head)
        }
    }

    /// Opens a database that exists.
    ///
    /// - Parameters:
    ///   - place: The place of the database. A file and its folder are safe (`VaultLocation`).
    ///   - options: The permitted access, and the timeouts.
    ///   - isCurrent: Whether the list is still in this database. Each transaction that writes calls it, so that a program that waited for
    ///     the end of a move does not change the old database.
    ///   - seen: The newest change of the list that this machine saw; nil without a check.
    /// - Returns: The repository; nil if there is no such file or schema.
    /// - Throws: `DatabaseError.unsafeLocation`, `DatabaseError.foreign`, `DatabaseError.newerVersion` or
    ///   `DatabaseError.damaged` for an unusable database; `DatabaseError.readOnly`; `DatabaseError.unreachable`;
    ///   ``TaskListError/rolledBack(found:seen:)``, ``TaskListError/forked(seen:)`` or ``TaskListError/recordDamaged``.
    public static func open(
        _ place: DatabasePlace, _ options: DatabaseOptions = DatabaseOptions(),
        whileCurrent isCurrent: @escaping @Sendable () -> Bool = { true },
        after seen: (any SeenTaskHead)? = nil
    ) throws -> TaskRepository? {
        do {
            // Read before the list: other programs record a change after its commit, so the list is never behind.
            let known = try seen?.required()
            return try TaskRepository(
                DatabasePool.open(place, .tasks, options), isCurrent, seen, after: known)
        } catch DatabaseError.notFound {
            return nil
        }
    }

    /// Opens a database, and first makes missing tables: in a file of mode 0600, or in a schema of a server.
    ///
    /// - Throws: As ``open(_:_:whileCurrent:after:)``; `DatabaseError.notFound` if the folder of a file is missing.
    public static func openOrCreate(
        _ place: DatabasePlace, _ options: DatabaseOptions = DatabaseOptions(),
        whileCurrent isCurrent: @escaping @Sendable () -> Bool = { true },
        after seen: (any SeenTaskHead)? = nil
    ) throws -> TaskRepository {
        let known = try seen?.required()
        guard let known, known.number > 0 else {
            return try TaskRepository(
                DatabasePool.openOrCreate(place, .tasks, options), isCurrent, seen, after: known)
        }
        do {
            return try TaskRepository(
                DatabasePool.open(place, .tasks, options), isCurrent, seen, after: known)
        } catch DatabaseError.notFound {
            // A list that is gone is not begun anew without the owner's word.
            throw TaskListError.rolledBack(found: 0, seen: known.number)
        }
    }

    /// Makes a repository in memory, which lasts until it is closed.
    ///
    /// - Throws: `DatabaseError.outOfMemory`.
    public static func inMemory() throws -> TaskRepository {
        try openOrCreate(.memory)
    }

    /// Closes the database; later calls throw `DatabaseError.closed`. Closing twice is allowed.
    public func close() {
        pool.close()
    }

    /// Whether the tasks are on a server, which has no file to copy.
    var isOnServer: Bool {
        if case .server = pool.place { true } else { false }
    }

    /// Copies the file; see ``backup(to:)``.
    func copyFile(to path: String) throws {
        try pool.backup(to: path)
    }

    /// Whether SQLite finds all pages and rows well-formed. Reads the whole file; `true` on a server.
    public func isWellFormed() throws -> Bool { try pool.isWellFormed() }

    /// Moves the log into the file, so that the file alone is complete.
    ///
    /// - Returns: `false` if other connections prevented it.
    func leaveWALMode() throws -> Bool {
        try pool.leaveWALMode()
    }

    /// Reads a task, cleared ones included; nil if there is none.
    public func task(_ id: TaskID) throws -> TodoTask? {
        try pool.single { try $0.task(id) }
    }

    /// Reads the tasks of ids as one snapshot, cleared ones included, in any order. Ids without a task are skipped.
    public func tasks(_ ids: [TaskID]) throws -> [TodoTask] {
        try pool.read { try $0.tasks(ids) }
    }

    /// Lists tasks.
    ///
    /// - Parameters:
    ///   - query: The filter, order and limit.
    ///   - calendar: The calendar of the owner, in which days end; nil for UTC.
    /// - Returns: The tasks.
    /// - Throws: `DatabaseError`.
    public func tasks(
        _ query: TaskSelection, in calendar: (any LocalCalendar)? = nil
    ) throws -> [TodoTask] {
        let order = calendar.flatMap { DueOrder(query.order, in: $0) }
        let found = try pool.read { transaction in
            let rarest = isOnServer ? nil : try transaction.rarest(of: query.filter.labels)
            let statement = TaskSelectionSQL(query, rarest: rarest)
            return try transaction.tasks(statement, limit: query.limit, order)
        }
        guard let sorted = order?.sorted(found) else { return found }
        return query.limit.map { Array(sorted.prefix(max($0, 0))) } ?? sorted
    }

    /// Runs `body` with one snapshot.
    func snapshot<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
        try pool.read(body)
    }

    /// The names and nicknames of all tasks except cleared ones, in the order of the ids.
    func names() throws -> [(id: TaskID, key: NameKey, isDone: Bool)] {
        try allRows(
            """
            SELECT id, coalesce(name, nickname), state FROM tasks
            WHERE state < 2 AND coalesce(name, nickname) IS NOT NULL AND id > $1
            ORDER BY id LIMIT $2
            """, id: \.id
        ) {
            (
                id: try $0.taskID(0), key: NameKey(try $0.text(1)),
                isDone: try $0.integer(2) == 1
            )
        }
    }

    /// The revisions of all tasks except cleared ones, in the order of the ids.
    func revisions() throws -> [(id: TaskID, revision: UInt64)] {
        try allRows(
            "SELECT id, revision FROM tasks WHERE state < 2 AND id > $1 ORDER BY id LIMIT $2",
            id: \.id
        ) { (id: try $0.taskID(0), revision: try $0.revision(1)) }
    }

    /// The rows of tasks as one snapshot, read page by page. Parameter 1 is the last id, parameter 2 the number of rows.
    private func allRows<Value>(
        _ sql: SQL, id: (Value) -> TaskID, _ read: (any Row) throws -> Value
    ) throws -> [Value] {
        try snapshot { transaction in
            var found: [Value] = []
            while true {
                let page = try transaction.rows(
                    sql,
                    [
                        .text(found.last.map(id)?.text ?? ""),
                        .integer(Int64(transaction.pageSize)),
                    ], read)
                // A server that repeats rows must not cause an endless loop.
                if let first = page.first, let last = found.last, id(first) <= id(last) {
                    throw DatabaseError.damagedTask
                }
                found += page
                guard page.count == transaction.pageSize else { return found }
            }
        }
    }

    /// For each id, the ids before and after it in the database, without those of cleared tasks.
    func neighbours(of ids: [TaskID]) throws -> [TaskID: (id: TaskID, others: [TaskID])] {
        let list = "[" + ids.map { "\"\($0.text)\"" }.joined(separator: ",") + "]"
        let rows = try pool.single { transaction in
            try transaction.rows(
                SQL(
                    sqlite: """
                        SELECT value,
                            (SELECT max(id) FROM tasks WHERE id < value AND state < 2),
                            (SELECT min(id) FROM tasks WHERE id > value AND state < 2)
                        FROM json_each($1)
                        """,
                    postgreSQL: """
                        SELECT value,
                            (SELECT max(id) FROM tasks WHERE id < value COLLATE "C" AND state < 2),
                            (SELECT min(id) FROM tasks WHERE id > value COLLATE "C" AND state < 2)
                        FROM json_array_elements_text($1::json) AS value
                        """), [.text(list)]
            ) { row in
                (
                    id: try row.taskID(0),
                    others: try [1, 2].compactMap { row.isNull($0) ? nil : try row.taskID($0) }
                )
            }
        }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The lists and tags of open tasks, and the numbers of tasks, in any order.
    func labelCounts() throws -> [(list: String?, tags: String, count: Int)] {
        try pool.single { transaction in
            try transaction.rows(
                """
                SELECT list, tags, count(*) FROM tasks WHERE state = 0 GROUP BY list, tags
                """, []
            ) {
                (list: try $0.optionalText(0), tags: try $0.text(1), count: Int(try $0.integer(2)))
            }
        }
    }

    /// Counts tasks.
    public func count(_ filter: TaskFilter) throws -> Int {
        let listing = TaskSelectionSQL(counting: filter)
        return try pool.single { transaction in
            Int(try transaction.row(listing.sql, listing.values) { try $0.integer(0) } ?? 0)
        }
    }

    /// The ids with this prefix, `limit` at most, without those of cleared tasks, in ascending order.
    public func ids(startingWith prefix: TaskIDPrefix, limit: Int) throws -> [TaskID] {
        try pool.single { transaction in
            // Each character of an id comes before `~`.
            try transaction.rows(
                "SELECT id FROM tasks WHERE id >= $1 AND id < $2 AND state < 2 ORDER BY id LIMIT $3",
                [.text(prefix.text), .text(prefix.text + "~"), .integer(Int64(max(limit, 0)))]
            ) { try $0.taskID(0) }
        }
    }

    /// The ids of at most six plain tasks whose names begin with a text (``NameKey``), without those of cleared tasks.
    func ids(ofNamesFrom start: String) throws -> [TaskID] {
        let key = NameKey(start).forSorting
        // No key has the byte 0xFF.
        if key.isEmpty { return [] }
        return try pool.single { transaction in
            try transaction.rows(
                SQL(
                    sqlite: """
                        SELECT id FROM tasks INDEXED BY tasks_by_name
                        WHERE state IN (0, 1) AND (name_key IS NULL) = 0
                            AND name_key >= $1 AND name_key < $2 LIMIT 6
                        """,
                    postgreSQL: """
                        SELECT id FROM tasks
                        WHERE state IN (0, 1) AND name_key >= $1 AND name_key < $2 LIMIT 6
                        """), [.bytes(key), .bytes(key + [0xFF])]
            ) { try $0.taskID(0) }
        }
    }

    /// The times of completions from `start` on, in ascending order, also those of tasks that were cleared or removed.
    public func completions(from start: PointInTime) throws -> [PointInTime] {
        try pool.single { transaction in
            try transaction.rows(
                "SELECT time FROM completions WHERE time >= $1 ORDER BY time",
                [.integer(start.milliseconds)]
            ) { PointInTime(milliseconds: try $0.integer(0)) }
        }
    }

    /// The unfinished changes of protected text, in the order of the text ids.
    public func intents() throws -> [VaultIntent] {
        try pool.single { transaction in
            try transaction.rows("SELECT text_id, kind, time FROM intents ORDER BY text_id") {
                row in
                guard let textID = try row.textID(0),
                    let kind = VaultIntent.Kind(rawValue: try row.integer(1))
                else { throw DatabaseError.damagedTask }
                return VaultIntent(
                    kind, textID, at: PointInTime(milliseconds: try row.integer(2)))
            }
        }
    }

    /// Runs `body` in a transaction that excludes other writers of all processes and machines, and commits it durably.
    ///
    /// An error of `body` rolls everything back.
    ///
    /// - Parameters:
    ///   - command: The command that `task undo` can revert; nil for an automatic change.
    ///   - body: Makes the changes.
    /// - Returns: The result of `body`.
    /// - Throws: An error of `body`; without running `body`, ``TaskListError/moved`` if the list is in another place, and the errors of
    ///   opening if it lacks a change that this machine saw; `DatabaseError.outcomeUnknown` if a server was lost during the commit and
    ///   cannot be asked.
    @discardableResult
    public func change<Result>(
        as command: UndoableCommand? = nil, _ body: (TaskWriter) throws -> Result
    ) throws -> Result {
        let (result, head) = try pool.write { transaction in
            guard isCurrent() else { throw TaskListError.moved }
            var head = try transaction.head(after: seen?.required())
            let result = try body(TaskWriter(transaction, command))
            if transaction.hasChanges { head = try transaction.advance(head) }
            if isOnServer {
                // Other programs watch a file. A server notifies its listeners at the commit.
                _ = try transaction.rows("SELECT pg_notify('taskvault_tasks', '') IS NULL") { _ in }
            }
            return (result, head)
        }
        // A crash before this leaves a record that is behind, never ahead.
        if seen?.rule == .replacing {
            seen?.replace(with: head)
        } else if head.number > 0 {
            seen?.raise(to: head)
        }
        return result
    }

    /// Rewrites a file, moves its log into it, and truncates the log.
    ///
    /// SQLite overwrites the removed bytes of a page, but not the copies left when rows move to another page. The time grows with the file.
    /// Waits about two seconds for other connections.
    ///
    /// - Returns: Whether no overwritten text is left; `false` if other connections prevented it; nil on a server, where that is unknown.
    public func eraseOldBytes() throws -> Bool? {
        try pool.eraseOldBytes(rewriting: true)
    }
}
