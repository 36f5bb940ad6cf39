internal import Database

/// The statement of a list or a count, assembled from literals.
///
/// Each index has the tasks of one state in the order of the list. A list of open and done tasks merges two ranges.
struct TaskSelectionSQL {
    /// The statement in SQLite's dialect.
    let sqlite: String
    /// The statement in PostgreSQL's dialect.
    let postgreSQL: String
    /// The parameters of the filter.
    let values: [DatabaseValue]
    /// The labels that the statement ignores. The reader of the rows skips the tasks without them.
    let unchecked: [TaskLabel]

    /// The statement in either dialect.
    var sql: SQL { SQL(assembledForSQLite: sqlite, postgreSQL: postgreSQL) }

    /// The list of a query: ``TaskColumn/readable``, and the keys of the order.
    ///
    /// Parameter 1 is the number of rows, parameter 2 the number of rows to skip.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - rarest: The index of a rare label. SQLite reads and sorts its tasks, and the other labels are ``unchecked``, because a look-up
    ///     in the index costs more than reading the row. Without a rare label, SQLite reads the index of the order, which begins with the
    ///     first page.
    init(_ query: TaskSelection, rarest: Int? = nil) {
        let (filter, order) = (query.filter, query.order)
        var parameters = Parameters(first: 3)
        var conditions = filter.states.map { filter.sqlite($0, &parameters) }
        // The rows are sorted anyway, so one range suffices.
        if rarest != nil { conditions = ["(\(conditions.joined(separator: " OR ")))"] }
        let labels = rarest == nil ? filter.labels(&parameters) : ""
        unchecked =
            rarest.map { place in
                filter.labels.enumerated().filter { $0.offset != place }.map(\.element)
            } ?? []
        // SQLite would also sort by a term that is equal in all rows.
        let terms = order.terms.filter { !$0.isAbsence || !order.isKeyed(filter) }
        let keys = terms.enumerated().map { "\($1.expression) AS key\($0)" }
        let label = rarest.map { parameters.add(.bytes(filter.labels[$0].key)) }
        let source =
            label.map {
                "labels CROSS JOIN tasks ON tasks.id = labels.task AND labels.label = \($0)"
            }
            ?? "tasks INDEXED BY \(order.index)"
        sqlite =
            conditions.map { condition in
                "SELECT \(([TaskColumn.readableNames] + keys).joined(separator: ", ")) "
                    + "FROM \(source) WHERE \(condition)\(labels)"
            }.joined(separator: " UNION ALL ")
            + " ORDER BY "
            + terms.enumerated().map { "key\($0)\($1.direction), " }.joined()
            + "id LIMIT $1 OFFSET $2"
        values = parameters.values
        // PostgreSQL needs a limit in each range to stop there.
        var others = Parameters(first: 3)
        let serverTerms = order.terms.filter { !$0.isAbsence }
        let serverOrder =
            serverTerms.map { $0.expression + $0.direction + $0.nullsLast + ", " }.joined() + "id"
        // Both statements share the values, so the order of the parameters is the same.
        let serverConditions = filter.states.map { filter.postgreSQL($0, &others) }
        let serverLabels = filter.labels(&others)
        let ranges = serverConditions.map { condition in
            "(SELECT \(TaskColumn.readableNames), name_key FROM tasks "
                + "WHERE \(condition)\(serverLabels) "
                + "ORDER BY \(serverOrder) LIMIT $1 + $2)"
        }
        postgreSQL =
            "SELECT \(TaskColumn.namesWithShortNotes) "
            + "FROM (\(ranges.joined(separator: " UNION ALL "))) AS found "
            + "ORDER BY \(serverOrder) LIMIT $1 OFFSET $2"
    }

    /// The count of a filter.
    init(counting filter: TaskFilter) {
        func sum(_ conditions: [String]) -> String {
            "SELECT "
                + conditions.map { "(SELECT count(*) FROM tasks WHERE \($0))" }
                .joined(separator: " + ")
        }
        var parameters = Parameters(first: 1)
        let labels = filter.labels(&parameters)
        sqlite = sum(filter.states.map { filter.sqlite($0, &parameters) + labels })
        values = parameters.values
        unchecked = []
        var others = Parameters(first: 1)
        let otherLabels = filter.labels(&others)
        postgreSQL = sum(filter.states.map { filter.postgreSQL($0, &others) + otherLabels })
    }
}

/// The values of a filter, and the numbers of their parameters.
private struct Parameters {
    let first: Int
    private(set) var values: [DatabaseValue] = []

    init(first: Int) {
        self.first = first
    }

    /// The parameter of a value. Equal values share one.
    mutating func add(_ value: DatabaseValue) -> String {
        let index = values.firstIndex(of: value) ?? values.endIndex
        if index == values.endIndex { values.append(value) }
        return "$\(first + index)"
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

    /// The condition for a file, with the terms of the indexes.
    fileprivate func sqlite(_ state: Int, _ parameters: inout Parameters) -> String {
        var terms = ["state = \(state)"]
        if let isProtected { terms.append("(name_key IS NULL) = \(isProtected ? 1 : 0)") }
        if let dueBefore {
            terms += ["(due IS NULL) = 0", Self.due(before: dueBefore, &parameters)]
        }
        terms += blockingTerms(
            """
            SELECT 1 FROM json_each('["' || replace(tasks.depends, ' ', '","') || '"]') AS j
            CROSS JOIN tasks AS d ON d.id = j.value AND d.state = 0
            """)
        return (terms + startTerms(state, &parameters)).joined(separator: " AND ")
    }

    /// The condition for a server.
    fileprivate func postgreSQL(_ state: Int, _ parameters: inout Parameters) -> String {
        var terms = ["state = \(state)"]
        if let isProtected { terms.append("name_key IS \(isProtected ? "" : "NOT ")NULL") }
        if let dueBefore { terms.append(Self.due(before: dueBefore, &parameters)) }
        terms += blockingTerms(
            """
            SELECT 1 FROM tasks AS d
            WHERE d.id = ANY (string_to_array(tasks.depends, ' ')) AND d.state = 0
            """)
        return (terms + startTerms(state, &parameters)).joined(separator: " AND ")
    }

    /// The condition that an open task comes before the row, or none.
    ///
    /// - Parameter blockers: The statement that has a row for each of these tasks.
    /// - Returns: The terms.
    private func blockingTerms(_ blockers: String) -> [String] {
        switch isBlocked {
        case true?: ["depends <> ''", "EXISTS (\(blockers))"]
        case false?: ["(depends = '' OR NOT EXISTS (\(blockers)))"]
        case nil: []
        }
    }

    private func startTerms(_ state: Int, _ parameters: inout Parameters) -> [String] {
        switch start {
        // A done task does not wait.
        case .by where state != 0: []
        case .after where state != 0: ["1 = 0"]
        case .by(let now): ["(wait IS NULL OR NOT (\(Self.wait(after: now, &parameters))))"]
        case .after(let now): [Self.wait(after: now, &parameters)]
        case nil: []
        }
    }

    /// The condition of ``TaskTime/isBefore(_:)``. The first term lets an index end there.
    private static func due(before end: CalendarMoment, _ parameters: inout Parameters) -> String {
        let time = TaskTime.moment(end.time).stored
        // Days before this one.
        let day = TaskTime.day(end.day).stored
        let (moments, days) = (parameters.add(.integer(time)), parameters.add(.integer(day)))
        let last = parameters.add(.integer(max(time, day)))
        return
            "due < \(last) AND (due & 1 = 0 AND due < \(moments) OR due & 1 = 1 AND due < \(days))"
    }

    /// The condition of ``TaskTime/isAfter(_:)``.
    private static func wait(after start: CalendarMoment, _ parameters: inout Parameters) -> String
    {
        let time = parameters.add(.integer(TaskTime.moment(start.time).stored))
        let day = parameters.add(.integer(TaskTime.day(start.day).stored))
        return "(wait & 1 = 0 AND wait > \(time) OR wait & 1 = 1 AND wait > \(day))"
    }

    /// The further condition that a task has the labels.
    fileprivate func labels(_ parameters: inout Parameters) -> String {
        labels.map { label in
            let key = parameters.add(.bytes(label.key))
            return
                " AND EXISTS (SELECT 1 FROM labels AS l WHERE l.label = \(key) AND l.task = tasks.id)"
        }.joined()
    }
}

/// One key of an order.
private struct OrderTerm {
    /// The expression of the index.
    let expression: String
    /// ` DESC`, or empty.
    var direction = ""
    /// Whether the term is true where another key is NULL. PostgreSQL sorts NULL last by itself.
    var isAbsence = false
    /// ` NULLS LAST` where PostgreSQL would sort NULL first, or empty.
    var nullsLast = ""
}

extension TaskOrder {
    fileprivate var terms: [OrderTerm] {
        let due = [
            OrderTerm(expression: "due IS NULL", isAbsence: true), OrderTerm(expression: "due"),
        ]
        let priority = OrderTerm(expression: "priority", direction: " DESC")
        let nameless = OrderTerm(expression: "name_key IS NULL", isAbsence: true)
        return switch self {
        case .name: [nameless, OrderTerm(expression: "name_key")]
        case .nameReversed:
            [
                nameless,
                OrderTerm(expression: "name_key", direction: " DESC", nullsLast: " NULLS LAST"),
            ]
        case .due: due + [priority, OrderTerm(expression: "created")]
        case .priority: [priority] + due + [OrderTerm(expression: "created")]
        case .created: [OrderTerm(expression: "created", direction: " DESC")]
        }
    }

    fileprivate var index: String {
        switch self {
        case .name: "tasks_by_name"
        case .nameReversed: "tasks_by_name_reversed"
        case .due: "tasks_by_due"
        case .priority: "tasks_by_priority"
        case .created: "tasks_by_created"
        }
    }

    /// Whether all tasks of the filter have a key, or none.
    fileprivate func isKeyed(_ filter: TaskFilter) -> Bool {
        switch self {
        case .name, .nameReversed: filter.isProtected != nil
        case .due: filter.dueBefore != nil
        case .priority: false
        case .created: true
        }
    }
}
