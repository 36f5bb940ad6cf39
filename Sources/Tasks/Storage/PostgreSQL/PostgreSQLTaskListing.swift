internal import Database

/// The SQL of a list or a count: assembled of literals.
///
/// Tasks of one state lie in each index in the order of the list. Open and done ones together are two such rows, which are merged.
struct PostgreSQLTaskListing {
    /// The statement.
    let sql: String
    /// Its parameters.
    let parameters: [PostgreSQLParameter]

    /// The list of a query.
    init(_ query: TaskQuery) {
        let filter = query.filter
        let order = query.order.terms
        let parts = filter.states.map { state in
            """
            (SELECT id, revision, created, due, completed, kept_from, cleared, reminder, words, name,
                notes, name_key
            FROM taskvault.task_items WHERE \(filter.conditions(state)) ORDER BY \(order) LIMIT $1)
            """
        }
        sql = """
            SELECT id, revision, created, due, completed, kept_from, cleared, reminder, words, name,
                notes,
                (SELECT string_agg(octet_length(convert_to(s.name, 'UTF8'))::text || ' ' || s.id
                    || ' ' || s.done::text || ' ' || s.name, '' ORDER BY s.position)
                FROM taskvault.task_subtasks AS s WHERE s.task = t.id)
            FROM (\(parts.joined(separator: " UNION ALL "))) AS t ORDER BY \(order) LIMIT $1
            """
        // NULL is no limit.
        let limit = PostgreSQLParameter.integer(query.limit.map { Int64(max($0, 0)) })
        parameters = [limit] + filter.parameters
    }

    /// The count of a filter.
    init(counting filter: TaskFilter) {
        let parts = filter.states.map { state in
            "(SELECT count(*) FROM taskvault.task_items WHERE \(filter.conditions(state)))"
        }
        // The first parameter is the list's.
        sql = "SELECT " + parts.joined(separator: " + ") + " + 0 * $1"
        parameters = [.integer(0)] + filter.parameters
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

    fileprivate func conditions(_ state: Int) -> String {
        var conditions = ["state = \(state)"]
        if let isProtected { conditions.append("words IS \(isProtected ? "NOT " : "")NULL") }
        if dueBefore != nil { conditions.append("due < $2") }
        return conditions.joined(separator: " AND ")
    }

    fileprivate var parameters: [PostgreSQLParameter] {
        dueBefore.map { [.integer($0.milliseconds)] } ?? []
    }
}

extension TaskOrder {
    fileprivate var terms: String {
        switch self {
        case .name: "name_key, id"
        case .nameReversed: "name_key DESC NULLS LAST, id"
        case .due: "due, id"
        case .created: "created DESC, id"
        }
    }
}
