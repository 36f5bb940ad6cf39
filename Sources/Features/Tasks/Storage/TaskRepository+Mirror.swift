internal import Database

// Reading for a mirror of the list (`Docs/Sync.md`).
extension TaskRepository {
    /// The newest change of the list.
    package func head() throws -> TaskHead { try snapshot { try $0.head(after: nil) } }

    /// Which state of a row this is. A removed task's id can come back with a revision that it had before.
    package typealias Revision = (number: UInt64, created: PointInTime)

    /// The revisions of all tasks, cleared ones included, and the newest change, as one snapshot.
    ///
    /// - Parameter seen: An earlier head.
    /// - Returns: The head, the revisions, and whether the list follows from `seen`.
    /// - Throws: `DatabaseError`.
    package func allRevisions(
        after seen: TaskHead?
    ) throws -> (head: TaskHead, revisions: [TaskID: Revision], follows: Bool) {
        try snapshot { transaction in
            let head = try transaction.head(after: nil)
            let follows = (try? transaction.head(after: seen)) != nil
            var revisions: [TaskID: Revision] = [:]
            var last = ""
            while true {
                let page = try transaction.rows(
                    "SELECT id, revision, created FROM tasks WHERE id > $1 ORDER BY id LIMIT $2",
                    [.text(last), .integer(Int64(transaction.pageSize))]
                ) { row -> (TaskID, Revision) in
                    let created = PointInTime(milliseconds: try row.integer(2))
                    return (try row.taskID(0), (try row.revision(1), created))
                }
                // A server that repeats rows must not cause an endless loop.
                if let first = page.first, first.0.text <= last { throw DatabaseError.damagedTask }
                for (id, revision) in page { revisions[id] = revision }
                guard page.count == transaction.pageSize, let end = page.last else { break }
                last = end.0.text
            }
            return (head, revisions, follows)
        }
    }

    /// The tasks that come after any of these, in any order.
    package func dependents(of ids: Set<TaskID>) throws -> [TaskID] {
        if ids.isEmpty { return [] }
        let rows = try snapshot { transaction in
            try transaction.rows("SELECT id, depends FROM tasks WHERE depends <> ''") {
                (try $0.taskID(0), try $0.taskIDs(1))
            }
        }
        return rows.compactMap { id, others in ids.isDisjoint(with: others) ? nil : id }
    }

    /// When commands that can be undone made the present revisions of tasks.
    package func changeTimes() throws -> [TaskID: PointInTime] {
        let rows = try snapshot { transaction in
            try transaction.rows(
                """
                SELECT tasks.id, max(changes.time) FROM changes
                JOIN tasks ON tasks.id = changes.task AND tasks.revision = changes.after
                GROUP BY tasks.id
                """, []
            ) { (try $0.taskID(0), PointInTime(milliseconds: try $0.integer(1))) }
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// The times at which tasks were done, for those of `ids` that were.
    package func completions(of ids: [TaskID]) throws -> [TaskID: [PointInTime]] {
        if ids.isEmpty { return [:] }
        let list = "[" + ids.map { "\"\($0.text)\"" }.joined(separator: ",") + "]"
        let rows = try snapshot { transaction in
            try transaction.rows(
                SQL(
                    sqlite: """
                        SELECT task, time FROM completions
                        WHERE task IN (SELECT value FROM json_each($1)) ORDER BY time
                        """,
                    postgreSQL: """
                        SELECT task, time FROM completions
                        WHERE task = ANY (ARRAY(SELECT json_array_elements_text($1::json)))
                        ORDER BY time
                        """), [.text(list)]
            ) { (try $0.taskID(0), PointInTime(milliseconds: try $0.integer(1))) }
        }
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }
}
