internal import Database

/// The statement of a list or a count, assembled of literals.
///
/// Tasks of one state lie in each index in the order of the list. A list of open and done tasks merges two such ranges.
struct TaskListSQL {
    /// The statement for a file.
    let sqlite: String
    /// The statement for a server.
    let postgreSQL: String
    /// The parameters of the filter.
    let values: [DatabaseValue]

    /// The statement for both.
    var sql: SQL { SQL(assembledForSQLite: sqlite, postgreSQL: postgreSQL) }

    /// The list of a query: ``TodoTask/columns``, and the keys of the order.
    ///
    /// Parameter 1 is the number of rows, parameter 2 the number of rows to skip, and parameter 3 the time of the filter.
    init(_ query: TaskSelection) {
        let (filter, order) = (query.filter, query.order)
        let direction = order.isDescending ? " DESC" : ""
        // SQLite would sort by a term that is the same in all rows.
        let absent = order.isKeyed(filter) ? "" : "absent, "
        sqlite =
            filter.states.map { state in
                "SELECT \(TodoTask.columns), \(order.absent) AS absent, \(order.column) AS key "
                    + "FROM tasks INDEXED BY \(order.index) "
                    + "WHERE \(filter.sqlite(state, dueBefore: "$3"))"
            }.joined(separator: " UNION ALL ")
            + " ORDER BY \(absent)key\(direction), id LIMIT $1 OFFSET $2"
        // PostgreSQL reads each range only as far as the limit if it is told so.
        let terms = "\(order.column)\(direction)\(order == .nameReversed ? " NULLS LAST" : ""), id"
        let ranges = filter.states.map { state in
            "(SELECT \(TodoTask.columns), name_key FROM tasks "
                + "WHERE \(filter.postgreSQL(state, dueBefore: "$3")) "
                + "ORDER BY \(terms) LIMIT $1 + $2)"
        }
        postgreSQL =
            "SELECT \(TodoTask.shortColumns) "
            + "FROM (\(ranges.joined(separator: " UNION ALL "))) AS found "
            + "ORDER BY \(terms) LIMIT $1 OFFSET $2"
        values = filter.values
    }

    /// The count of a filter. Parameter 1 is the time of the filter.
    init(counting filter: TaskFilter) {
        func sum(_ conditions: [String]) -> String {
            "SELECT "
                + conditions.map { "(SELECT count(*) FROM tasks WHERE \($0))" }
                .joined(separator: " + ")
        }
        sqlite = sum(filter.states.map { filter.sqlite($0, dueBefore: "$1") })
        postgreSQL = sum(filter.states.map { filter.postgreSQL($0, dueBefore: "$1") })
        values = filter.values
    }
}

extension TaskFilter {
    /// The values of the column `state`.
    fileprivate var states: [Int] {
        switch state {
        case .openOrDone: [0, 1]
        case .open: [0]
        case .done: [1]
        case .cleared: [2]
        }
    }

    fileprivate var values: [DatabaseValue] {
        dueBefore.map { [.integer($0.milliseconds)] } ?? []
    }

    /// The condition for a file, of terms as the indexes have them.
    fileprivate func sqlite(_ state: Int, dueBefore parameter: String) -> String {
        var terms = ["state = \(state)"]
        if let isProtected { terms.append("(name_key IS NULL) = \(isProtected ? 1 : 0)") }
        if dueBefore != nil { terms += ["(due IS NULL) = 0", "due < \(parameter)"] }
        return terms.joined(separator: " AND ")
    }

    /// The condition for a server.
    fileprivate func postgreSQL(_ state: Int, dueBefore parameter: String) -> String {
        var terms = ["state = \(state)"]
        if let isProtected { terms.append("name_key IS \(isProtected ? "" : "NOT ")NULL") }
        if dueBefore != nil { terms.append("due < \(parameter)") }
        return terms.joined(separator: " AND ")
    }
}

extension TaskOrder {
    fileprivate var column: String {
        switch self {
        case .name, .nameReversed: "name_key"
        case .due: "due"
        case .created: "created"
        }
    }

    fileprivate var absent: String {
        self == .created ? "0" : "\(column) IS NULL"
    }

    fileprivate var isDescending: Bool { self == .nameReversed || self == .created }

    fileprivate var index: String {
        switch self {
        case .name: "tasks_by_name"
        case .nameReversed: "tasks_by_name_reversed"
        case .due: "tasks_by_due"
        case .created: "tasks_by_created"
        }
    }

    /// Whether all tasks of the filter have a key, or none.
    fileprivate func isKeyed(_ filter: TaskFilter) -> Bool {
        switch self {
        case .name, .nameReversed: filter.isProtected != nil
        case .due: filter.dueBefore != nil
        case .created: true
        }
    }
}
