@testable import Database
@testable import Tasks
import Testing
import TestSupport

/// The plans of SQLite show that lists stay quick at any length.
@Suite("The first page of a list")
struct QueryPlanTests {
    private static let limit = CalendarMoment(TaskSamples.time(5), in: RuleCalendar.utc)
    private static let states: [TaskFilter.State] = [.open, .done, .openOrDone, .cleared]

    /// The lines of `EXPLAIN QUERY PLAN`.
    private static func plan(_ sql: String, _ connection: SQLiteConnection) throws -> [String] {
        let statement = try connection.statement(assembled: "EXPLAIN QUERY PLAN " + sql)
        var lines: [String] = []
        while try statement.step() {
            lines.append(try statement.row.text(3))
        }
        return lines
    }

    private static func withSchema(_ body: (SQLiteConnection) throws -> Void) throws {
        let connection = try SQLiteConnection(path: ":memory:", options: .init(access: .create))
        defer { connection.close() }
        try connection.run(script: HostileTaskFile.schema)
        try body(connection)
    }

    @Test(
        "is read from an index that has its order, without sorting",
        arguments: TaskOrder.allCases, states)
    func page(order: TaskOrder, state: TaskFilter.State) throws {
        try Self.withSchema { connection in
            for isProtected in [nil, true, false] as [Bool?] {
                for due in [nil, Self.limit] {
                    let filter = TaskFilter(state, dueBefore: due, isProtected: isProtected)
                    let sql = TaskSelectionSQL(TaskSelection(filter, by: order, limit: 20)).sqlite
                    let lines = try Self.plan(sql, connection)
                    let searches = lines.filter { $0.hasPrefix("SEARCH tasks USING INDEX") }
                    #expect(searches.count == (state == .openOrDone ? 2 : 1), "\(lines)")
                    #expect(!lines.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") })
                }
            }
        }
    }

    @Test("of due tasks reads their range of the index only")
    func due() throws {
        try Self.withSchema { connection in
            let filter = TaskFilter(.open, dueBefore: Self.limit)
            for sql in [
                TaskSelectionSQL(TaskSelection(filter, by: .due)).sqlite,
                TaskSelectionSQL(counting: filter).sqlite,
            ] {
                let lines = try Self.plan(sql, connection)
                #expect(lines.contains { $0.contains("due<?") }, "\(lines)")
            }
        }
    }

    @Test("needs no rows to count them", arguments: states)
    func count(state: TaskFilter.State) throws {
        try Self.withSchema { connection in
            for isProtected in [nil, true, false] as [Bool?] {
                let filter = TaskFilter(state, isProtected: isProtected)
                let lines = try Self.plan(TaskSelectionSQL(counting: filter).sqlite, connection)
                let searches = lines.filter { $0.hasPrefix("SEARCH tasks USING COVERING INDEX") }
                #expect(searches.count == (state == .openOrDone ? 2 : 1), "\(lines)")
                #expect(!lines.contains { $0.contains("USING INDEX") || $0.contains("SCAN tasks") })
            }
        }
    }
}
