internal import CommandLine

extension CommandGroup {
    /// Tasks in and out.
    static let taskTransfer = CommandGroup(
        title: "Tasks in and out", commands: [exportTasks, importTasks, moveDatabase])

    private static let exportTasks = CommandDescription(
        path: ["task", "export"],
        summary: "print all tasks for another program",
        options: [.taskFormat, .reveal],
        notes: [
            """
            Protected tasks are in it without their words, unless --reveal is given: then the words stand there for everybody to read, and fresh \
            verification is needed.
            """
        ],
        examples: [
            .init("taskvault task export > tasks.json", "everything, protected words apart"),
            .init("taskvault task export --format taskwarrior | task import", "to Taskwarrior"),
            .init("taskvault task export --format todo.txt > todo.txt", "to todo.txt"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let importTasks = CommandDescription(
        path: ["task", "import"],
        summary: "take in the tasks of another program",
        operands: [.taskFile],
        options: [.importedTaskFormat],
        notes: [
            "All tasks are taken in, or none; protected ones, from an export with --reveal, go into the vault one by one before that.",
            """
            What the other program has and a task here has not is told, and left out. A task that is in the list already is not taken in again; one that was cleared \
            comes back.
            """,
        ],
        examples: [
            .init("task export | taskvault task import -", "from Taskwarrior"),
            .init("taskvault task import --format todo.txt todo.txt", "from todo.txt"),
        ],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    private static let moveDatabase = CommandDescription(
        path: ["task", "move-database"],
        summary: "copy all tasks into another database and use that from now on",
        operands: [.databaseTarget],
        notes: [
            """
            The other database must have no tasks. The old file stays, with everything that was in it, and gets another name, unless another program is using it; \
            protected words stay in the vault.
            """,
            "A command that had begun before and writes only now is refused; it works when it is run again.",
        ],
        examples: [
            .init(
                "taskvault task move-database postgresql://ada@db.example/tasks",
                "from SQLite to PostgreSQL"),
            .init("taskvault task move-database sqlite", "and back"),
        ],
        exitCodes: .tasks + [.alreadyExists], traits: [.usesAgent])
}
