/// The SQL of a list or a count: assembled of literals, with two parameters at most.
///
/// Tasks of one state lie in each index in the order of the list. Open and done ones together are two such rows, which SQLite merges.
struct TaskListing {
    /// The statement. Parameter 1 is the limit of the due time, parameter 2 the number of rows.
    let sql: String

    /// The list of a query.
    init(_ query: TaskQuery) {
        let filter = query.filter
        let parts = filter.states.map { state in
            "SELECT \(TaskRow.columns), \(query.order.absent) AS absent, \(query.order.column) AS key "
                + "FROM tasks INDEXED BY \(query.order.index) WHERE "
                + filter.conditions(state).joined(separator: " AND ")
        }
        let direction = query.order.isDescending ? " DESC" : ""
        // What is the same in all rows is no term: SQLite would sort.
        let terms = (query.order.isKeyed(filter) ? [] : ["absent"]) + ["key\(direction)", "id"]
        sql =
            parts.joined(separator: " UNION ALL ")
            + " ORDER BY \(terms.joined(separator: ", ")) LIMIT ?2"
    }

    /// The count of a filter.
    init(counting filter: TaskFilter) {
        let parts = filter.states.map { state in
            "(SELECT count(*) FROM tasks WHERE "
                + filter.conditions(state).joined(separator: " AND ") + ")"
        }
        sql = "SELECT " + parts.joined(separator: " + ")
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

    fileprivate func conditions(_ state: Int) -> [String] {
        var conditions = ["state = \(state)"]
        if let isProtected { conditions.append("(name_key IS NULL) = \(isProtected ? 1 : 0)") }
        if dueBefore != nil { conditions += ["(due IS NULL) = 0", "due < ?1"] }
        return conditions
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
