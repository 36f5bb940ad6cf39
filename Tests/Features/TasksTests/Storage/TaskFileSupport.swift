import Database
import Foundation
import Platform
import Tasks
import TestSupport

/// Makes files that pretend to hold tasks.
enum HostileTaskFile {
    /// The schema as `Docs/Storage.md` tells it, and not taken from the code.
    static let schema = schema(of: 3, Checkout.statements(under: "### tasks.db"))

    /// The schema of the version before, without what version 3 added.
    static let schemaBeforeHeads = schema(
        of: 2,
        Checkout.statements(under: "### tasks.db").filter {
            !$0.contains("TABLE commits") && !$0.contains("INDEX changes_with_text")
        })

    private static func schema(of version: Int, _ statements: [String]) -> String {
        statements.joined(separator: ";\n")
            + ";\nPRAGMA application_id = 1414943812;\nPRAGMA user_version = \(version);\n"
    }

    /// One open task `000001` of revision 1.
    static let row =
        "INSERT INTO tasks (id, revision, created, priority, tags, depends, name, name_key, notes, further, state) "
        + "VALUES ('000001', 1, 1000, 0, '', '', 'a task', x'61207461736b', '', '', 0);"

    /// Makes an SQLite file of mode 0600 by SQL.
    static func make(at path: String, script: String) throws {
        let database = try SQLiteConnection(path: path, options: .init(access: .create))
        defer { database.close() }
        try database.run(script: script)
        guard unsafe chmod(path, 0o600) == 0 else { throw TestFile.Failure(code: errno) }
    }
}

/// The errors of opening a file for writing and for reading; nil where it does not.
func openErrors(_ path: String) -> [DatabaseError?] {
    [
        taskError { try TaskRepository.openOrCreate(.file(path)).close() },
        taskError { try TaskRepository.open(.file(path))?.close() },
        taskError {
            try TaskRepository.open(.file(path), DatabaseOptions(mode: .readOnly))?.close()
        },
    ]
}

/// The repository's error that `body` throws, or nil if it throws none or another.
func taskError(_ body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}
