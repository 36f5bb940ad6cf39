internal import Database
internal import VaultStorage

/// The tables of the file of tasks (`Docs/Storage.md`).
///
/// A protected task has no words: `words` names them, and name, notes, key and subtasks are missing. The state is 0 for an open task, 1 for one
/// that was done, 2 for one that was cleared.
enum TaskSchema: DatabaseKind {
    typealias Memory = Never

    /// `"TVTD"`.
    private static let applicationID: Int32 = 0x5456_5444

    private static let tables: [DatabaseFileKind.Entry] = [
        .table(
            "tasks",
            "CREATE TABLE tasks (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, "
                + "created INTEGER NOT NULL, due INTEGER, completed INTEGER, kept_from INTEGER, "
                + "cleared INTEGER, reminder INTEGER NOT NULL, words TEXT, name TEXT, "
                + "name_key BLOB, notes TEXT, state INTEGER NOT NULL, "
                + "CHECK ((words IS NULL) = (name IS NOT NULL) AND (name IS NULL) = (notes IS NULL) "
                + "AND (name IS NULL) = (name_key IS NULL)), "
                + "CHECK ((completed IS NULL) = (kept_from IS NULL) "
                + "AND (completed IS NOT NULL OR cleared IS NULL)), "
                + "CHECK (state = (completed IS NOT NULL) + (cleared IS NOT NULL))) "
                + "STRICT, WITHOUT ROWID"
        ),
        .table(
            "subtasks",
            "CREATE TABLE subtasks (task TEXT NOT NULL, position INTEGER NOT NULL, "
                + "id TEXT NOT NULL, name TEXT NOT NULL, done INTEGER NOT NULL, "
                + "PRIMARY KEY (task, position)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "completions",
            "CREATE TABLE completions (time INTEGER NOT NULL, task TEXT NOT NULL, "
                + "PRIMARY KEY (time, task)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "intents",
            "CREATE TABLE intents (words TEXT PRIMARY KEY, kind INTEGER NOT NULL, "
                + "time INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
    ]

    /// One for each order, so that the first page of a list is read from its beginning; and what is cleared and purged.
    private static let indexes: [DatabaseFileKind.Entry] = [
        .index(
            "tasks_by_name", on: "tasks",
            "CREATE INDEX tasks_by_name ON tasks (state, name_key IS NULL, name_key, id)"),
        .index(
            "tasks_by_name_reversed", on: "tasks",
            "CREATE INDEX tasks_by_name_reversed "
                + "ON tasks (state, name_key IS NULL, name_key DESC, id)"),
        .index(
            "tasks_by_due", on: "tasks",
            "CREATE INDEX tasks_by_due ON tasks (state, due IS NULL, due, id)"),
        .index(
            "tasks_by_created", on: "tasks",
            "CREATE INDEX tasks_by_created ON tasks (state, created DESC, id)"),
        .index(
            "tasks_to_clear", on: "tasks",
            "CREATE INDEX tasks_to_clear ON tasks (kept_from) WHERE state = 1"),
        .index(
            "tasks_to_purge", on: "tasks",
            "CREATE INDEX tasks_to_purge ON tasks (cleared) WHERE state = 2"),
    ]

    /// A file of tasks.
    static let file = DatabaseFileKind(
        noun: "task list", applicationID: applicationID, entries: tables + indexes,
        migrations: [
            SchemaMigrator.Migration(
                version: 1,
                script: (tables + indexes).map(\.sql).joined(separator: ";\n")
                    + ";\nPRAGMA application_id = \(applicationID);")
        ])
}
