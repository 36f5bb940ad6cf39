internal import Database

extension Schema {
    /// The tables of tasks (`Docs/Storage.md`).
    ///
    /// A protected task has no text: `words` names the vault's item, and name, notes, key and subtasks are missing. The state is 0 for an
    /// open task, 1 for a done one, 2 for a cleared one.
    static let tasks = Schema(
        noun: "task list", serverName: "taskvault_tasks", earlierTable: "task_version",
        applicationID: taskFileMark, holdsText: true, entries: taskEntries,
        migrations: [Migration(version: 1, making: taskEntries)])

    /// `"TVTD"`.
    private static let taskFileMark: Int32 = 0x5456_5444

    /// One index for each order, so that the first page of a list is read from its beginning; and those of clearing and purging.
    private static let taskEntries: [Entry] = [
        .table(
            "tasks", table(ofState: "(completed IS NOT NULL) + (cleared IS NOT NULL)"),
            // PostgreSQL cannot add truth values.
            postgreSQL: Entry.table(
                "tasks",
                table(
                    ofState:
                        "CASE WHEN completed IS NULL THEN 0 WHEN cleared IS NULL THEN 1 ELSE 2 END")
            ).postgreSQL),
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
        // SQLite sorts NULL first, PostgreSQL last: where it is wanted.
        .index(
            "tasks_by_name", on: "tasks",
            "CREATE INDEX tasks_by_name ON tasks (state, name_key IS NULL, name_key, id)",
            postgreSQL: "CREATE INDEX tasks_by_name ON tasks (state, name_key, id)"),
        .index(
            "tasks_by_name_reversed", on: "tasks",
            "CREATE INDEX tasks_by_name_reversed "
                + "ON tasks (state, name_key IS NULL, name_key DESC, id)",
            postgreSQL: "CREATE INDEX tasks_by_name_reversed "
                + "ON tasks (state, name_key DESC NULLS LAST, id)"),
        .index(
            "tasks_by_due", on: "tasks",
            "CREATE INDEX tasks_by_due ON tasks (state, due IS NULL, due, id)",
            postgreSQL: "CREATE INDEX tasks_by_due ON tasks (state, due, id)"),
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

    /// The table of tasks, with the value that the column `state` must have.
    private static func table(ofState state: String) -> String {
        "CREATE TABLE tasks (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, "
            + "created INTEGER NOT NULL, due INTEGER, completed INTEGER, kept_from INTEGER, "
            + "cleared INTEGER, reminder INTEGER NOT NULL, words TEXT, name TEXT, "
            + "name_key BLOB, notes TEXT, state INTEGER NOT NULL, "
            + "CHECK ((words IS NULL) = (name IS NOT NULL) AND (name IS NULL) = (notes IS NULL) "
            + "AND (name IS NULL) = (name_key IS NULL)), "
            + "CHECK ((completed IS NULL) = (kept_from IS NULL) "
            + "AND (completed IS NOT NULL OR cleared IS NULL)), "
            + "CHECK (state = \(state))) STRICT, WITHOUT ROWID"
    }
}
