internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task export`: prints all tasks for another program.
enum ExportTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "export"],
        summary: "print all tasks for another program",
        options: [.taskFormat, .exportedFile, .reveal, .exportReport],
        notes: [
            """
            Protected tasks are exported without their text. With --reveal the export contains protected text in plaintext, which \
            requires verification.
            """,
            """
            What the format cannot hold is left out. A warning for each kind names at most twenty tasks; --report FILE writes all. Protected \
            tasks are named by nickname or id.
            """,
        ],
        examples: [
            .init(
                "taskvault task export --output tasks.json", "everything except protected text"),
            .init("taskvault task export --format taskwarrior | task import", "to Taskwarrior"),
            .init("taskvault task export --format todo.txt > todo.txt", "to todo.txt"),
            .init("taskvault task export --format icalendar > tasks.ics", "to a calendar"),
        ],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let target = try ExportTarget(context)
        let report = try ItemReport(context)
        try context.tasks.withTasks(.reading) { tasks in
            let query = TaskSelection(by: .created)
            guard context.invocation.has(.reveal) else {
                let found = try tasks.list.find(query)
                return try write(found.tasks, to: target, report, context)
            }
            context.console.notices.warn(
                "export_not_encrypted",
                "the export contains protected text in plaintext")
            if target.isTerminal { context.console.warnThatTextStays() }
            try context.vault.withStore(.reading) { store in
                let shown = try context.vault.verifying(store) {
                    try tasks.list.reveal(query, from: store.secrets)
                }
                try write(shown, to: target, report, context)
            }
        }
    }

    private static func write(
        _ shown: [ShownTask], to target: ExportTarget, _ report: ItemReport,
        _ context: CommandContext
    ) throws {
        let format =
            context.invocation.text(of: .taskFormat).flatMap(TaskFormat.init) ?? .taskVault
        let tasks = shown.map { ExchangedTask($0.task, text: $0.text) }
        try target.write { descriptor in
            let output = VisibleOutput(Output(descriptor: descriptor))
            try TaskExport.write(tasks, as: format, in: context.tasks.calendar, to: output).finish()
        }
        var omissions = TaskExport.omissions(of: tasks, as: format)
        for (visibility, kind) in [
            (ShownTask.Visibility.missing, LeftOut.missingText), (.unreadable, .unreadableText),
        ] {
            let found = shown.filter { $0.visibility == visibility }
            if !found.isEmpty { omissions[kind] = found.map(\.task.publicTitle) }
        }
        try warn(of: omissions, report, context)
    }

    /// Warns about content that a format cannot represent, with the titles of the tasks.
    private static func warn(
        of omissions: [LeftOut: [String]], _ report: ItemReport, _ context: CommandContext
    ) throws {
        var report = report
        for kind in LeftOut.allCases {
            guard let titles = omissions[kind] else { continue }
            let shown = titles.prefix(report.count).map(\.shortTitle).joined(separator: "; ")
            let rest = titles.count - min(titles.count, report.count)
            context.console.notices.warn(
                "left_out_\(kind.code)",
                "left out: \(kind.description) (\(titles.count)): \(shown)"
                    + (rest > 0 ? "; and \(rest) more: --report FILE writes all" : ""))
            for title in titles {
                report.add("\(VisibleText.escape(title.shortTitle)): left out, \(kind.description)")
            }
        }
        try report.write()
    }
}

extension LeftOut {
    /// The name in the codes of warnings, and in reports.
    var code: String {
        switch self {
        case .protectedTasks: "protected_tasks"
        case .missingText: "missing_text"
        case .unreadableText: "unreadable_text"
        case .deletedTasks: "deleted_tasks"
        case .recurringPatterns: "recurring_patterns"
        case .repetitions: "repetitions"
        case .endedSeries: "ended_series"
        case .notes: "notes"
        case .subtasks: "subtasks"
        case .subtaskTimes: "subtask_times"
        case .subtaskFields: "subtask_fields"
        case .childTasks: "child_tasks"
        case .reminders: "reminders"
        case .dependencies: "dependencies"
        case .lists: "lists"
        case .tags: "tags"
        case .nicknames: "nicknames"
        case .times: "times"
        case .zones: "time_zones"
        case .controls: "control_characters"
        case .events: "events"
        case .further: "attributes"
        }
    }
}

extension OptionDescription {
    static let exportReport = OptionDescription(
        "report", .file("FILE"),
        "write a line for each task of which something was left out to a new file; - names all in the warnings"
    )
    static let taskFormat = OptionDescription(
        "format", .choice("FORMAT", TaskFormat.names), "the format to write", standard: "taskvault")
}

extension TaskFormat {
    /// The names of the formats in `--format`.
    static let names = allCases.map(\.rawValue)
}
