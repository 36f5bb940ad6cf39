internal import Database
internal import VaultStorage

/// The tables of tasks on a server (`Docs/Storage.md`).
///
/// A protected task has no words: `words` names them, and name, notes, key and subtasks are missing.
enum PostgreSQLTaskSchema: PostgreSQLTableKind {
    static let noun = "task list"
    static let prefix = "task_"
    static let lockedTable: StaticString = "taskvault.task_items"
    static let versionQuery: StaticString = "SELECT version FROM taskvault.task_version"

    static let migrator = PostgreSQLMigrator(
        schema: "taskvault", versionTable: "task_version",
        [
            PostgreSQLMigrator.Migration(
                version: 1,
                script: """
                    CREATE TABLE taskvault.task_items (
                        id text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL,
                        created bigint NOT NULL, due bigint, completed bigint, kept_from bigint,
                        cleared bigint, reminder bigint NOT NULL, words text COLLATE "C",
                        name text COLLATE "C", name_key bytea, notes text COLLATE "C",
                        state bigint NOT NULL GENERATED ALWAYS AS (
                            CASE WHEN completed IS NULL THEN 0 WHEN cleared IS NULL THEN 1 ELSE 2 END
                        ) STORED,
                        CHECK ((words IS NULL) = (name IS NOT NULL)
                            AND (name IS NULL) = (notes IS NULL)
                            AND (name IS NULL) = (name_key IS NULL)),
                        CHECK ((completed IS NULL) = (kept_from IS NULL)
                            AND (completed IS NOT NULL OR cleared IS NULL)));
                    CREATE TABLE taskvault.task_subtasks (
                        task text COLLATE "C" NOT NULL, position bigint NOT NULL,
                        id text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
                        done bigint NOT NULL, PRIMARY KEY (task, position));
                    CREATE TABLE taskvault.task_completions (
                        time bigint NOT NULL, task text COLLATE "C" NOT NULL,
                        PRIMARY KEY (time, task));
                    CREATE TABLE taskvault.task_intents (
                        words text COLLATE "C" PRIMARY KEY, kind bigint NOT NULL,
                        time bigint NOT NULL);
                    CREATE INDEX task_items_by_name
                        ON taskvault.task_items (state, name_key, id);
                    CREATE INDEX task_items_by_name_reversed
                        ON taskvault.task_items (state, name_key DESC NULLS LAST, id);
                    CREATE INDEX task_items_by_due ON taskvault.task_items (state, due, id);
                    CREATE INDEX task_items_by_created
                        ON taskvault.task_items (state, created DESC, id);
                    CREATE INDEX task_items_to_clear
                        ON taskvault.task_items (kept_from) WHERE state = 1;
                    CREATE INDEX task_items_to_purge
                        ON taskvault.task_items (cleared) WHERE state = 2;
                    """)
        ])

    static let description = [
        "task_completions 1 time bigint NOT NULL",
        "task_completions 2 task text COLLATE C NOT NULL",
        "task_completions CREATE UNIQUE INDEX task_completions_pkey ON taskvault.task_completions USING btree (\"time\", task)",
        "task_completions PRIMARY KEY (\"time\", task)",
        "task_completions rp",
        "task_intents 1 words text COLLATE C NOT NULL",
        "task_intents 2 kind bigint NOT NULL",
        "task_intents 3 time bigint NOT NULL",
        "task_intents CREATE UNIQUE INDEX task_intents_pkey ON taskvault.task_intents USING btree (words)",
        "task_intents PRIMARY KEY (words)",
        "task_intents rp",
        "task_items 1 id text COLLATE C NOT NULL",
        "task_items 10 name text COLLATE C",
        "task_items 11 name_key bytea",
        "task_items 12 notes text COLLATE C",
        "task_items 13 state bigint NOT NULL DEFAULT",
        "task_items 2 revision bigint NOT NULL",
        "task_items 3 created bigint NOT NULL",
        "task_items 4 due bigint",
        "task_items 5 completed bigint",
        "task_items 6 kept_from bigint",
        "task_items 7 cleared bigint",
        "task_items 8 reminder bigint NOT NULL",
        "task_items 9 words text COLLATE C",
        "task_items CHECK ((((completed IS NULL) = (kept_from IS NULL)) AND ((completed IS NOT NULL) OR (cleared IS NULL))))",
        "task_items CHECK ((((words IS NULL) = (name IS NOT NULL)) AND ((name IS NULL) = (notes IS NULL)) AND ((name IS NULL) = (name_key IS NULL))))",
        "task_items CREATE INDEX task_items_by_created ON taskvault.task_items USING btree (state, created DESC, id)",
        "task_items CREATE INDEX task_items_by_due ON taskvault.task_items USING btree (state, due, id)",
        "task_items CREATE INDEX task_items_by_name ON taskvault.task_items USING btree (state, name_key, id)",
        "task_items CREATE INDEX task_items_by_name_reversed ON taskvault.task_items USING btree (state, name_key DESC NULLS LAST, id)",
        "task_items CREATE INDEX task_items_to_clear ON taskvault.task_items USING btree (kept_from) WHERE (state = 1)",
        "task_items CREATE INDEX task_items_to_purge ON taskvault.task_items USING btree (cleared) WHERE (state = 2)",
        "task_items CREATE UNIQUE INDEX task_items_pkey ON taskvault.task_items USING btree (id)",
        "task_items PRIMARY KEY (id)",
        "task_items rp",
        "task_subtasks 1 task text COLLATE C NOT NULL",
        "task_subtasks 2 position bigint NOT NULL",
        "task_subtasks 3 id text COLLATE C NOT NULL",
        "task_subtasks 4 name text COLLATE C NOT NULL",
        "task_subtasks 5 done bigint NOT NULL",
        "task_subtasks CREATE UNIQUE INDEX task_subtasks_pkey ON taskvault.task_subtasks USING btree (task, \"position\")",
        "task_subtasks PRIMARY KEY (task, \"position\")",
        "task_subtasks rp",
        "task_version 1 version bigint NOT NULL",
        "task_version rp",
    ]
}
