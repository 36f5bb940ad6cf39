internal import Application
internal import CommandLine
internal import SecretMemory
internal import Tasks
internal import TextCoding

/// `task edit`: changes name, notes, times, list, tags and the rest of a task.
enum EditTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "edit"],
        summary: "change name, notes, due time, list, tags and the rest",
        operands: [.someTasks],
        options: [.newName, .notes, .append, .editor] + TaskOptions.editing + [.everyTask]
            + TaskFilterOptions.others + [.yes],
        exclusive: TaskFilterOptions.exclusive,
        notes: [
            """
            Changes one task or many, all or none, as one step of task undo. With an ID or a word, --list and --tag change the tasks. Without \
            one they choose open tasks, as the filters of task list do; then words give the new values, such as list:home and +urgent, which \
            are read as by task add. More than three tasks, and --all, are shown with a question, which --yes answers.
            """,
            """
            The new name of a protected task is never an argument: --name - asks for it, or reads it from standard input.
            """,
            """
            --editor opens the notes in the program of VISUAL or EDITOR, else vi. The text is in a folder of its own in memory, below \
            XDG_RUNTIME_DIR. It is also the editor's home, so that swap files, undo files and histories stay in it; its configuration is not \
            read. All of it is removed afterwards. An editor that fails, as vim by :cq, changes nothing.
            """,
            AddTaskCommand.whenNote,
        ],
        examples: [
            .init("taskvault task edit k7m --due 'mon 9:00'", "another time"),
            .init("taskvault task edit k7m --name 'Call Ada again' --due never", "two changes"),
            .init("taskvault task edit k7m --notes - < notes.txt", "notes from a file"),
            .init("taskvault task edit k7m --notes 'call twice' --append", "one more line"),
            .init("taskvault task edit k7m --editor", "the notes in an editor"),
            .init("taskvault task edit k7m --list home --tag urgent --untag later", "its labels"),
            .init(
                "taskvault task edit call --overdue --due mon",
                "all overdue tasks with call in the name"),
            .init(
                "taskvault task edit --list work --today due:tomorrow +late",
                "today's tasks of a list"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        if invocation.has(.editor) { return try editNotes(context) }
        let changesText = invocation.has(.newName) || invocation.has(.notes)
        let phrase = context.typedTask(.someTasks)
        // Without an id, the labels choose the tasks.
        let hasIDs = !phrase.words.isEmpty
        let options = try TaskOptions(context, phrase, hasLabels: hasIDs)
        let filters = try TaskFilterOptions(context, .open, hasLabels: !hasIDs)
        guard invocation.has(.notes) || !invocation.has(.append) else {
            throw Failure.usage(
                "--append adds to the notes, which --notes gives",
                hint: context.folders.command("task edit ID --notes 'one more line' --append"))
        }
        guard changesText || options.areGiven else {
            throw Failure.usage(
                "nothing to change",
                hint: context.folders.command("task edit ID --due 'fri 18:00'"))
        }
        try context.tasks.withTasks(.changing) { tasks in
            let chosen = try ChosenTasks(phrase.words, filters, in: tasks, context)
            guard chosen.requireAny() else { return try context.report("changed", [], tasks) }
            guard !changesText || chosen.tasks.count == 1 else {
                throw Failure.usage(
                    "--name and --notes change one task, not \(chosen.tasks.count)",
                    hint: context.folders.command("task edit ID --notes 'one more line' --append"))
            }
            let edits = try chosen.tasks.map { before in
                var task = before
                try options.apply(to: &task)
                try options.applyOrder(to: &task, in: tasks)
                return (before: before, edited: task)
            }
            guard changesText, let edit = edits.first else {
                return try context.edit(edits, of: chosen, tasks, understood: phrase)
            }
            let changed = try editText(of: edit.before, to: edit.edited, tasks, context)
            try chosen.report("changed", [changed], tasks)
            context.remark(on: changed, since: edit.before, tasks, understood: phrase)
        }
    }

    /// Opens the notes in an editor. Neither the list nor the vault is open meanwhile.
    private static func editNotes(_ context: CommandContext) throws {
        let others = description.options.filter { $0 != .editor && context.invocation.has($0) }
        if let other = others.first {
            throw Failure.usage(
                "options '--editor' and '\(other.spelling)' exclude each other",
                hint: "change the notes alone")
        }
        let phrase = context.typedTask(.someTasks)
        guard phrase.parts.isEmpty, phrase.words.count == 1, var typed = phrase.words.first else {
            throw Failure.usage(
                "--editor changes the notes of one task",
                hint: context.folders.command("task edit ID --editor"))
        }
        func read() throws -> (task: TodoTask, stored: StoredText) {
            try context.tasks.withTasks(.changing) { tasks in
                let task = try tasks.list.find(typed)
                return (task, try context.tasks.text(of: task, in: tasks))
            }
        }
        var (task, stored) = try read()
        // Meanwhile the name may change.
        typed = task.id.text
        let notes = unsafe try SecretBytes(copying: stored.text.notes.utf8Span.span.bytes)
        let isChanged = try context.edit(notes, as: "notes.txt") { edited, isRepeated in
            guard let typed = edited.withBytes({ $0.text() }) else { throw InputError.notText }
            // The person has seen that another program changed the task.
            if isRepeated { (task, stored) = try read() }
            var text = stored.text
            text.notes = typed
            try context.tasks.withTasks(.changing) { [task, stored, text] tasks in
                let changed = try context.tasks.edit(task, stored, to: text, in: tasks)
                try context.report("changed", changed, tasks)
            }
        }
        if !isChanged { context.console.remark("the notes are unchanged") }
    }

    private static func editText(
        of before: TodoTask, to task: TodoTask, _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> TodoTask {
        let name = context.invocation.text(of: .newName)
        if task.isProtected { try context.console.requireNotesOffScreen() }
        if task.isProtected, let name, name != "-" {
            throw Failure.usage(
                "the name of a protected task cannot be given on the command line",
                hint: "--name - asks for it, or reads it from standard input")
        }
        return try context.tasks.editText(of: before, to: task, tasks) { text in
            if name == "-" {
                text.name = try context.console.readLine("Name", isProtected: task.isProtected)
            } else if let name {
                text.name = name
            }
            if context.invocation.has(.notes) {
                let notes = try context.console.readNotes(isProtected: task.isProtected)
                let isMore = context.invocation.has(.append) && !text.notes.isEmpty
                text.notes = isMore ? text.notes + "\n" + notes : notes
            }
        }
    }
}

extension CommandContext {
    /// Shows the edits, asks if they are many, changes the tasks, and reports them.
    func edit(
        _ edits: [(before: TodoTask, edited: TodoTask)], of chosen: ChosenTasks,
        _ open: OpenTasks, understood phrase: TypedTask? = nil, withRemarks: Bool = true
    ) throws {
        try chosen.confirm(
            "change \(counted(edits.count, "task"))",
            lines: edits.map { $0.before.changes(to: $0.edited, now: open.now, in: tasks.calendar) }
        )
        let changed = try open.list.edit(edits)
        try chosen.report("changed", changed, open)
        guard withRemarks else { return }
        remark(
            on: zip(changed, edits).map { (task: $0, before: $1.before) }, open,
            understood: phrase)
    }
}

extension OptionDescription {
    static let newName = OptionDescription(
        "name", .text("NAME"), "the new name; - asks for it or reads it from standard input")
    static let append = OptionDescription("append", "add --notes to the notes that are there")
}
