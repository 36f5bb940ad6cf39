@testable import Database
import Testing
import TestSupport

/// Runs `body` with a connection to a new database of the shared server.
func withConnection(
    _ options: PostgreSQLOptions = PostgreSQLOptions(),
    _ body: (PostgreSQLConnection) throws -> Void
) throws {
    try withPostgreSQLDatabase { address in
        let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address), options: options)
        defer { connection.close() }
        try body(connection)
    }
}

/// The error that `body` throws, or nil if it throws none or another.
func failure(_ body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

/// Expects that `body` fails like this.
///
/// Not `#expect(failure { … } == …)`: in a closure, the compiler takes one that a macro expands for another one beside it.
func expectFailure(
    _ expected: DatabaseError?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let found = failure(body)
    #expect(found == expected, sourceLocation: sourceLocation)
}

extension PostgreSQLConnection {
    /// The one number that a statement gives.
    func number(_ sql: String) throws -> Int64 {
        try #require(try rows(once: sql).first).integer(0)
    }
}
