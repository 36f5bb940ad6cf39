internal import Database

extension Schema {
    /// The tables of tasks (`Docs/Storage.md`).
    ///
    /// ``TaskColumn`` has the columns of a task. The row of a protected task has a `text_id`, the account of the vault's item, and no text;
    /// its subtasks have no names. `labels` is an index of lists and tags. `changes` has the tasks before the commands that `task undo` can
    /// revert. `commits` has the newest transactions (``TaskHead``).
    static let tasks = Schema(
        noun: "task list", serverName: "taskvault_tasks", earlierTable: "task_version",
        applicationID: taskApplicationID, holdsText: true, entries: taskEntries + addedEntries,
        migrations: [
            Migration(version: 2, making: taskEntries), Migration(version: 3, making: addedEntries),
        ])

    /// `"TVTD"`.
    private static let taskApplicationID: Int32 = 0x5456_5444

    /// The entries that version 3 added.
    private static let addedEntries: [Entry] = [
        .table(
            "commits",
            "CREATE TABLE commits (number INTEGER PRIMARY KEY, mark INTEGER NOT NULL) STRICT"),
        // For a task that becomes protected. Added tasks have no text there, so an import writes nothing into it.
        .index(
            "changes_with_text", on: "changes",
            "CREATE INDEX changes_with_text ON changes (task) WHERE name IS NOT NULL"),
    ]

    /// Each order of a list has an index, so that a statement reads the first page from the beginning of the index.
    private static let taskEntries: [Entry] = [
        .table(
            "tasks", taskTable(state: "(completed IS NOT NULL) + (cleared IS NOT NULL)"),
            // PostgreSQL cannot add truth values.
            postgreSQL: taskTable(
                state: "CASE WHEN completed IS NULL THEN 0 WHEN cleared IS NULL THEN 1 ELSE 2 END")),
        .table(
            "subtasks",
            "CREATE TABLE subtasks (task TEXT NOT NULL, position INTEGER NOT NULL, "
                + "id TEXT NOT NULL, name TEXT, done INTEGER NOT NULL, due INTEGER, "
                + "reminder INTEGER, snooze INTEGER, PRIMARY KEY (task, position)) "
                + "STRICT, WITHOUT ROWID"
        ),
        .table(
            "labels",
            "CREATE TABLE labels (label BLOB NOT NULL, task TEXT NOT NULL, "
                + "PRIMARY KEY (label, task)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "changes",
            "CREATE TABLE changes (machine TEXT NOT NULL, command INTEGER NOT NULL, "
                + "task TEXT NOT NULL, time INTEGER NOT NULL, after INTEGER, counted INTEGER, "
                + "hidden INTEGER NOT NULL, subtasks BLOB, "
                + "\(TaskColumn.nullableDeclarations), PRIMARY KEY (machine, command, task)) "
                + "STRICT, WITHOUT ROWID"
        ),
        .table(
            "completions",
            "CREATE TABLE completions (time INTEGER NOT NULL, task TEXT NOT NULL, "
                + "PRIMARY KEY (time, task)) STRICT, WITHOUT ROWID"
        ),
        .table(
            "intents",
            "CREATE TABLE intents (text_id TEXT PRIMARY KEY, kind INTEGER NOT NULL, "
                + "time INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        ),
        .index("tasks_by_id", on: "tasks", "CREATE UNIQUE INDEX tasks_by_id ON tasks (id)"),
        // NULL belongs at the end. SQLite sorts it first, PostgreSQL last.
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
            "CREATE INDEX tasks_by_due "
                + "ON tasks (state, due IS NULL, due, priority DESC, created, id)",
            postgreSQL:
                "CREATE INDEX tasks_by_due ON tasks (state, due, priority DESC, created, id)"),
        .index(
            "tasks_by_priority", on: "tasks",
            "CREATE INDEX tasks_by_priority "
                + "ON tasks (state, priority DESC, due IS NULL, due, created, id)",
            postgreSQL:
                "CREATE INDEX tasks_by_priority ON tasks (state, priority DESC, due, created, id)"),
        .index(
            "tasks_by_created", on: "tasks",
            "CREATE INDEX tasks_by_created ON tasks (state, created DESC, id)"),
        .index(
            "tasks_with_dependencies", on: "tasks",
            "CREATE INDEX tasks_with_dependencies ON tasks (depends) WHERE depends <> ''"),
        .index(
            "tasks_to_clear", on: "tasks",
            "CREATE INDEX tasks_to_clear ON tasks (kept_from) WHERE state = 1"),
        .index(
            "tasks_to_purge", on: "tasks",
            "CREATE INDEX tasks_to_purge ON tasks (cleared) WHERE state = 2"),
        .index(
            "tasks_to_announce", on: "tasks",
            "CREATE INDEX tasks_to_announce ON tasks (coalesce(snooze, reminder)) "
                + "WHERE state = 0 AND coalesce(snooze, reminder) IS NOT NULL"),
        .index(
            "subtasks_to_announce", on: "subtasks",
            "CREATE INDEX subtasks_to_announce ON subtasks (coalesce(snooze, reminder)) "
                + "WHERE done = 0 AND coalesce(snooze, reminder) IS NOT NULL"),
        .index(
            "changes_by_time", on: "changes", "CREATE INDEX changes_by_time ON changes (time)"),
    ]

    /// The table of tasks.
    ///
    /// - Parameter state: The value that the column `state` must have: 0 open, 1 done, 2 cleared.
    /// - Returns: The statement for SQLite.
    private static func taskTable(state: String) -> String {
        "CREATE TABLE tasks (\(TaskColumn.declarations), CHECK (\(TaskColumn.textCondition)), "
            + "CHECK ((completed IS NULL) = (kept_from IS NULL) "
            + "AND (completed IS NOT NULL OR cleared IS NULL)), "
            + "CHECK (state = \(state))) STRICT"
    }
}
