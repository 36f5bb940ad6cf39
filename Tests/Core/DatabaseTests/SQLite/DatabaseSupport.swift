@testable import Database
import TestSupport

/// Runs `body` with a new database file.
func withDatabase(_ body: (SQLiteConnection) throws -> Void) throws {
    try withDatabase { database, _ in try body(database) }
}

/// Runs `body` with a new database file and its path.
func withDatabase(_ body: (SQLiteConnection, String) throws -> Void) throws {
    try withTemporaryFolder { folder in
        let path = folder + "/test.db"
        let database = try SQLiteConnection(path: path, options: .init(access: .create))
        defer { database.close() }
        try body(database, path)
    }
}

extension SQLiteConnection {
    /// The first column of the first row.
    func integer(_ sql: StaticString) throws -> Int64? {
        let statement = try statement(sql)
        return try statement.step() ? try statement.row.integer(0) : nil
    }
}
