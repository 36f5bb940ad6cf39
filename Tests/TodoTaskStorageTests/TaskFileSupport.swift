import SQLiteDatabase
import TestSupport
import TodoTaskStorage
import TodoTasks
import VaultStorage

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes files that pretend to hold tasks.
enum HostileTaskFile {
    /// The schema of `Docs/Storage.md`, written here anew and not taken from the code.
    static let schema = """
        CREATE TABLE tasks (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, created INTEGER NOT NULL, due INTEGER, completed INTEGER, kept_from INTEGER, cleared INTEGER, reminder INTEGER NOT NULL, words TEXT, name TEXT, name_key BLOB, notes TEXT, state INTEGER NOT NULL AS (CASE WHEN completed IS NULL THEN 0 WHEN cleared IS NULL THEN 1 ELSE 2 END) VIRTUAL, CHECK ((words IS NULL) = (name IS NOT NULL) AND (name IS NULL) = (notes IS NULL) AND (name IS NULL) = (name_key IS NULL)), CHECK ((completed IS NULL) = (kept_from IS NULL) AND (completed IS NOT NULL OR cleared IS NULL))) STRICT, WITHOUT ROWID;
        CREATE TABLE subtasks (task TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, done INTEGER NOT NULL, PRIMARY KEY (task, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE completions (time INTEGER NOT NULL, task TEXT NOT NULL, PRIMARY KEY (time, task)) STRICT, WITHOUT ROWID;
        CREATE TABLE intents (words TEXT PRIMARY KEY, kind INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX tasks_by_name ON tasks (state, name_key IS NULL, name_key, id);
        CREATE INDEX tasks_by_name_reversed ON tasks (state, name_key IS NULL, name_key DESC, id);
        CREATE INDEX tasks_by_due ON tasks (state, due IS NULL, due, id);
        CREATE INDEX tasks_by_created ON tasks (state, created DESC, id);
        CREATE INDEX tasks_to_clear ON tasks (kept_from) WHERE state = 1;
        CREATE INDEX tasks_to_purge ON tasks (cleared) WHERE state = 2;
        PRAGMA application_id = 1414943812;
        PRAGMA user_version = 1;

        """

    /// One open task `000001` of revision 1.
    static let row =
        "INSERT INTO tasks (id, revision, created, reminder, name, name_key, notes) "
        + "VALUES ('000001', 1, 1000, 0, 'a task', x'61207461736b', '');"

    /// Makes an SQLite file of mode 0600 by SQL.
    static func make(at path: String, script: String) throws {
        let database = try DatabaseConnection(path: path, options: .init(access: .create))
        defer { database.close() }
        try database.run(script: script)
        guard unsafe chmod(path, 0o600) == 0 else { throw TestFile.Failure(code: errno) }
    }
}

/// What opening a file for writing and for reading fails with; nil where it does not.
func openErrors(_ path: String) -> [TaskRepositoryError?] {
    [
        taskError { try SQLiteTaskRepository.openOrCreate(at: path).close() },
        taskError { try SQLiteTaskRepository.open(at: path, mode: .readWrite)?.close() },
        taskError { try SQLiteTaskRepository.open(at: path, mode: .readOnly)?.close() },
    ]
}

/// The repository's error that `body` throws, or nil if it throws none or another.
func taskError(_ body: () throws -> Void) -> TaskRepositoryError? {
    do {
        try body()
        return nil
    } catch {
        return error as? TaskRepositoryError
    }
}
