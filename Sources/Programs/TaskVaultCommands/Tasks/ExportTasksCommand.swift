internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task export`: prints all tasks for another program.
enum ExportTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "export"],
        summary: "print all tasks for another program",
        options: [.taskFormat, .exportedFile, .reveal],
        notes: [
            """
            Protected tasks are exported without their text. With --reveal the export contains protected text in plaintext, which \
            requires verification.
            """
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
        try context.tasks.withTasks(.reading) { tasks in
            let query = TaskSelection(by: .created)
            guard context.invocation.has(.reveal) else {
                let found = try tasks.list.find(query)
                return try write(found.tasks, to: target, context)
            }
            context.console.notices.warn(
                "export_not_encrypted",
                "the export contains protected text in plaintext")
            if target.isTerminal { context.console.warnThatTextStays() }
            try context.vault.withStore(.reading) { store in
                let shown = try context.vault.verifying(store) {
                    try tasks.list.reveal(query, from: store.secrets)
                }
                try write(shown, to: target, context)
                for (visibility, kind) in [
                    (ShownTask.Visibility.missing, LeftOut.missingText),
                    (.unreadable, .unreadableText),
                ] {
                    let count = shown.count { $0.visibility == visibility }
                    if count > 0 { context.console.report([kind: count]) }
                }
            }
        }
    }

    private static func write(
        _ shown: [ShownTask], to target: ExportTarget, _ context: CommandContext
    ) throws {
        let format =
            context.invocation.text(of: .taskFormat).flatMap(TaskFormat.init) ?? .taskVault
        let tasks = shown.map { ExchangedTask($0.task, text: $0.text) }
        try target.write { descriptor in
            let output = VisibleOutput(Output(descriptor: descriptor))
            try TaskExport.write(tasks, as: format, in: context.tasks.calendar, to: output).finish()
        }
        context.console.report(TaskExport.leftOut(of: tasks, as: format))
    }
}

extension Console {
    /// Warns about content that a format cannot represent.
    func report(_ leftOut: [LeftOut: Int]) {
        for kind in LeftOut.allCases {
            guard let count = leftOut[kind] else { continue }
            notices.warn("left_out_\(kind.code)", "left out: \(kind.description) (\(count))")
        }
    }
}

extension LeftOut {
    /// The name in the codes of warnings.
    fileprivate var code: String {
        switch self {
        case .protectedTasks: "protected_tasks"
        case .missingText: "missing_text"
        case .unreadableText: "unreadable_text"
        case .deletedTasks: "deleted_tasks"
        case .recurringPatterns: "recurring_patterns"
        case .repetitions: "repetitions"
        case .notes: "notes"
        case .subtasks: "subtasks"
        case .subtaskTimes: "subtask_times"
        case .reminders: "reminders"
        case .dependencies: "dependencies"
        case .lists: "lists"
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
    static let taskFormat = OptionDescription(
        "format", .choice("FORMAT", TaskFormat.names), "the format to write", standard: "taskvault")
}

extension TaskFormat {
    /// The names of the formats in `--format`.
    static let names = allCases.map(\.rawValue)
}
