internal import Database

extension Schema {
    /// The tables of tasks (`Docs/Storage.md`).
    ///
    /// A protected task has no text: `words` names the vault's item, and name, notes and key are missing, also of its subtasks. The state is
    /// 0 for an open task, 1 for a done one, 2 for a cleared one. `labels` is an index of lists and tags, `changes` what `task undo` needs.
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
                + "hidden INTEGER NOT NULL, subtasks BLOB, revision INTEGER, "
                + "\(columns(required: "")), PRIMARY KEY (machine, command, task)) "
                + "STRICT, WITHOUT ROWID"
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
        .index("tasks_by_id", on: "tasks", "CREATE UNIQUE INDEX tasks_by_id ON tasks (id)"),
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

    /// The columns of a task after its revision; `changes` has them too, where all may be missing.
    private static func columns(required: String) -> String {
        "created INTEGER\(required), due INTEGER, completed INTEGER, kept_from INTEGER, "
            + "cleared INTEGER, wait INTEGER, reminder INTEGER, snooze INTEGER, repetition TEXT, "
            + "priority INTEGER\(required), list TEXT, tags TEXT\(required), nickname TEXT, "
            + "words TEXT, name TEXT, name_key BLOB, notes TEXT, further TEXT, "
            + "state INTEGER\(required)"
    }

    /// The table of tasks, with the value that the column `state` must have.
    private static func table(ofState state: String) -> String {
        "CREATE TABLE tasks (id TEXT NOT NULL, revision INTEGER NOT NULL, "
            + "\(columns(required: " NOT NULL")), "
            + "CHECK ((words IS NULL) = (name IS NOT NULL) AND (name IS NULL) = (notes IS NULL) "
            + "AND (name IS NULL) = (name_key IS NULL) AND (name IS NULL) = (further IS NULL)), "
            + "CHECK ((completed IS NULL) = (kept_from IS NULL) "
            + "AND (completed IS NOT NULL OR cleared IS NULL)), "
            + "CHECK (state = \(state))) STRICT"
    }
}
