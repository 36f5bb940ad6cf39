internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task add`: adds a task.
enum AddTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "add"],
        summary: "add a task",
        operands: [.taskName],
        options: [.protected] + TaskOptions.adding + [.notes, .asField, .preview],
        notes: [
            """
            The options can be words anywhere in the name: due:tomorrow, wait:mon, remind:10m, every:mon, pri:high, list:house, +home for a \
            tag, after:ID. A time may go on: due:fri 18:00. The answer shows what was understood. After --, all words are the name.
            """,
            """
            With --protected the text is stored in the vault only. The name cannot be given on the command line, where it would stay in the shell's \
            history: it is asked for, or read from standard input. Requires an unlocked vault and verification.
            """,
            whenNote,
        ],
        examples: [
            .init("taskvault task add buy milk", "a name of two words"),
            .init(
                "taskvault task add buy milk due:tomorrow +home pri:high list:house every:mon",
                "the same by words"),
            .init("taskvault task add -- read list:of books", "a name with such a word"),
            .init("taskvault task add 'Call Ada' --due 'fri 18:00'", "with a due time"),
            .init(
                "taskvault task add water the plants --due 'sat 9:00' --repeat weekly --remind 1h",
                "every Saturday, with a reminder an hour before"),
            .init("taskvault task add milk --list shopping --tag dairy", "in a list"),
            .init("taskvault task add --protected --due tomorrow", "the name is asked for"),
            .init(
                "printf 'Name\\nnotes' | taskvault task add --protected --notes -", "from a pipe"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent],
        surplusHint:
            "a protected name cannot be given on the command line: it is asked for, or read from standard input"
    )

    /// The note about the forms of WHEN.
    static let whenNote = """
        WHEN is a day (today, 'day after tomorrow', fri, 'next fri', 'next month', 1st, 24.12.2026), a time (9:00, 6pm: the next one), both ('fri 18:00', \
        'tomorrow at 9', 2026-12-01T09:00), a distance ('in 2h', +3d), a time with its zone (2026-12-01T09:00+02:00), tonight (20:00), or \
        the last day of today, the week or the month (eod, eow, eom). A day alone is the whole day, in every zone; without a zone, a time is local.
        """

    static func run(_ context: CommandContext) throws {
        let isProtected = context.invocation.has(.protected)
        let phrase = context.typedTask(.taskName)
        let name = phrase.words.isEmpty ? nil : phrase.name
        if isProtected, name != nil {
            throw Failure.usage(
                "the name of a protected task cannot be given on the command line",
                hint: "omit it: it is asked for, or read from standard input")
        }
        guard isProtected || name != nil else {
            throw Failure.usage(
                "missing NAME", hint: context.folders.command("task add buy milk"))
        }
        if isProtected { try context.console.requireNotesOffScreen() }
        let id = TaskID()
        let now = context.console.surroundings.now()
        let content: TodoTask.Content =
            isProtected ? .protected(ProtectedTextID(of: id)) : .plain(TaskText(name: ""))
        var wanted = TodoTask(id: id, content: content, created: now)
        let options = try TaskOptions(context, phrase)
        try options.apply(to: &wanted)
        if let due = wanted.due, !options.has(.remind),
            try context.settings.value(of: .remindByDefault) == "yes"
        {
            wanted.reminder = due
        }
        guard isProtected else {
            wanted.content = .plain(try text(name, context))
            let isPreview = context.invocation.has(.preview)
            return try context.tasks.withTasks(isPreview ? .reading : .changing) { [wanted] tasks in
                var task = wanted
                try options.applyOrder(to: &task, in: tasks)
                if isPreview { return try show(phrase, task, tasks, context) }
                task = try tasks.list.add(task)
                try context.report("added", task, tasks, understood: phrase)
                context.remark(on: task, since: nil, tasks)
            }
        }
        try context.tasks.withTasksAndVault(.changing) { [wanted] tasks, store in
            // The check fails before the question.
            try context.vault.requireVerified(store)
            var wanted = wanted
            try options.applyOrder(to: &wanted, in: tasks)
            let text = try text(nil, context)
            // If the verification expired while the person typed, another verification saves the text.
            let task = try context.vault.verifying(store) { [wanted] in
                try tasks.list.insert(wanted, text: text, in: store.secrets).task
            }
            try context.report("added", task, tasks, understood: phrase)
            context.remark(on: task, since: nil, tasks)
        }
    }

    /// Prints the task that the words mean, and the words that were understood.
    private static func show(
        _ phrase: TypedTask, _ task: TodoTask, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        guard context.console.isJSON else {
            return try context.report("would add", task, tasks, understood: phrase)
        }
        try context.console.printJSON { json in
            try json.task(ShownTask(task), now: tasks.moment) { json in
                try json.key("understood")
                try json.beginArray()
                for part in phrase.parts {
                    try json.beginObject()
                    try json.member("part", part.attribute.rawValue)
                    try json.member("value", part.value)
                    try json.member("text", part.text)
                    try json.member("start", part.range.lowerBound)
                    try json.member("end", part.range.upperBound)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
    }

    private static func text(
        _ name: String?, _ context: CommandContext
    ) throws -> TaskText {
        // With `??`, the compiler does not infer that the expression throws no other error.
        var text = TaskText(name: "")
        if let name {
            text.name = name
        } else {
            text.name = try context.console.readLine("Name", isProtected: true)
        }
        if context.invocation.has(.notes) {
            text.notes = try context.console.readNotes(isProtected: name == nil)
        }
        return text
    }
}

extension CommandContext {
    /// The operands as a name, or ids, and words with other parts of a task.
    func typedTask(_ operand: OperandDescription) -> TypedTask {
        let now = console.surroundings.now()
        let (texts, literal) = invocation.parsedTexts(of: operand)
        guard !invocation.takes(.asField) || !invocation.has(.asField) else {
            return TypedTask(
                field: (texts + literal).joined(separator: " "), now: now, in: tasks.calendar)
        }
        return TypedTask(texts, literal: literal, now: now, in: tasks.calendar)
    }
}

extension OptionDescription {
    static let asField = OptionDescription(
        "as-field", "read the name as the field of the page does", isHidden: true)
    static let preview = OptionDescription(
        "preview", "show what is understood, and add nothing", isHidden: true)
}

extension OperandDescription {
    static let taskName = OperandDescription(
        "NAME", "the task; several words need no quotation marks", count: 0...1_000)
}
