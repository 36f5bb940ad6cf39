internal import CommandLine

extension CommandGroup {
    /// The to-do list.
    static let tasks = CommandGroup(
        title: "Tasks",
        commands: [
            addTask, listTasks, showTask, editTask, markDone, markUndone, removeTask, markAllDone,
            protectTask, unprotectTask, clearTasks, taskStatistics,
        ])

    private static let addTask = CommandDescription(
        path: ["task", "add"],
        summary: "add a task",
        operands: [.taskName],
        options: [.protected, .due, .notes, .reminder],
        notes: [
            """
            With --protected the words go into the vault and nowhere else: the name is not given here, where it would stay in the shell's history, but \
            asked for or read from standard input. That needs the vault unlocked and fresh verification.
            """,
            whenNote,
        ],
        examples: [
            .init("taskvault task add buy milk", "a name of two words"),
            .init("taskvault task add 'Call Ada' --due 'fri 18:00'", "with a time"),
            .init("taskvault task add --protected --due tomorrow", "the name is asked for"),
            .init(
                "printf 'Name\\nnotes' | taskvault task add --protected --notes -", "from a pipe"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent],
        surplusHint:
            "a protected name is not given here: it is asked for, or read from standard input")

    static let whenNote = """
        WHEN is a day (today, tomorrow, fri, 2026-12-01), a time (9:00, 6pm: the next one), both ('fri 18:00', 2026-12-01T09:00), a distance \
        ('in 2h', 'in 3 days'), or a time with its zone (2026-12-01T09:00+02:00). A day alone means its end; without a zone the local one holds.
        """

    private static let listTasks = CommandDescription(
        path: ["task", "list"],
        summary: "list tasks",
        options: [
            .onlyOpen, .onlyDone, .onlyOverdue, .dueBefore, .onlyProtected, .search, .order, .limit,
            .reveal,
        ],
        exclusive: [.onlyOpen, .onlyDone, .onlyOverdue],
        notes: [
            """
            A protected task shows a lock in place of its words. --reveal shows them; where the verification window has closed, it asks for the \
            passphrase on a terminal. What was revealed on a terminal is taken away again when the window closes or the vault is locked.
            """,
            "The option --search looks into protected words only while verified, and says how many it could not look into.",
        ],
        examples: [
            .init("taskvault task", "what is to be done, and what was done lately"),
            .init("taskvault task list --overdue", "what is late"),
            .init("taskvault task list --order name --search milk", "by name"),
            .init("taskvault task list --reveal", "with protected words"),
            .init("taskvault task list --json", "for a program"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let showTask = CommandDescription(
        path: ["task", "show"],
        summary: "show a task with notes and subtasks",
        operands: [.task],
        notes: ["Of a protected task the words are shown as list --reveal does."],
        examples: [.init("taskvault task show k7m", "the task whose id begins with k7m")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let editTask = CommandDescription(
        path: ["task", "edit"],
        summary: "change name, notes, due time or reminder",
        operands: [.task],
        options: [.newName, .notes, .newDue, .reminder, .noReminder],
        exclusive: [.reminder, .noReminder],
        notes: [
            "The new name of a protected task is never given on the command line: --name - asks for it, or reads it from standard input.",
            whenNote,
        ],
        examples: [
            .init("taskvault task edit k7m --due 'mon 9:00'", "another time"),
            .init("taskvault task edit k7m --name 'Call Ada again' --due never", "two things"),
            .init("taskvault task edit k7m --notes - < notes.txt", "notes from a file"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let markDone = CommandDescription(
        path: ["task", "done"],
        summary: "mark tasks as done",
        operands: [.tasks],
        notes: [
            "A task that is done disappears by itself after the time of the setting clear-after."
        ],
        examples: [.init("taskvault task done k7m 3fx", "two at once, both or none")],
        exitCodes: .tasks, traits: [.usesAgent])

    private static let markUndone = CommandDescription(
        path: ["task", "undone"],
        summary: "mark tasks as not done",
        operands: [.tasks],
        examples: [.init("taskvault task undone k7m", "it stays then")],
        exitCodes: .tasks, traits: [.usesAgent])

    private static let removeTask = CommandDescription(
        path: ["task", "remove"],
        summary: "remove tasks for good",
        operands: [.tasks],
        options: [.yes],
        notes: [
            "Asks on a terminal. The words of a protected task are removed from the vault, which must be unlocked."
        ],
        examples: [
            .init("taskvault task remove k7m", "asks first"),
            .init("taskvault task remove --yes k7m", "does not ask"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let markAllDone = CommandDescription(
        path: ["task", "done-all"],
        summary: "mark all open tasks as done",
        options: [.yes],
        notes: ["Asks on a terminal."],
        examples: [.init("taskvault task done-all", "asks first")],
        exitCodes: .tasks, traits: [.usesAgent])

    private static let protectTask = CommandDescription(
        path: ["task", "protect"],
        summary: "move the words of a task into the vault",
        operands: [.task],
        notes: [
            """
            Nothing of name, notes and subtasks is left in the tasks' SQLite file or its log. A PostgreSQL server may keep old bytes, and says nothing \
            about it. Copies that were made before, such as backups, have the words still.
            """
        ],
        examples: [.init("taskvault task protect k7m", "needs fresh verification")],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    private static let unprotectTask = CommandDescription(
        path: ["task", "unprotect"],
        summary: "move the words of a task out of the vault",
        operands: [.task],
        notes: [
            "Whoever can read the tasks' database can read the words then. Needs fresh verification."
        ],
        examples: [.init("taskvault task unprotect k7m", "no lock any more")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let clearTasks = CommandDescription(
        path: ["task", "clear"],
        summary: "clear completed tasks now, or bring cleared ones back",
        options: [.undo],
        notes: [
            """
            Completed tasks are cleared by themselves after the time of the setting clear-after. What was cleared can be brought back for 24 hours and is \
            removed for good after that. Statistics keep counting it.
            """
        ],
        examples: [
            .init("taskvault task clear", "hide what is done"),
            .init("taskvault task clear --undo", "bring it back"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])

    private static let taskStatistics = CommandDescription(
        path: ["task", "stats"],
        summary: "tell what was done, and what is left",
        options: [.days],
        examples: [
            .init("taskvault task stats", "the past four weeks"),
            .init("taskvault task stats --days 7 --json", "for a program"),
        ],
        exitCodes: .tasks, traits: [.usesAgent])
}
