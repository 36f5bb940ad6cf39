internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task export`: prints all tasks for another program.
enum ExportTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withTasks(.reading) { (tasks) throws(CommandFailure) in
            let query = TaskQuery(by: .created)
            guard context.invocation.has(.reveal) else {
                let found = try context.explaining(tasks) { () throws(TaskListError) in
                    try tasks.list.find(query)
                }
                return try write(found.tasks, context)
            }
            context.notices.warn(
                "export_not_encrypted",
                "protected words stand in the export for everybody to read who can read it")
            if Descriptor.isTerminal(context.surroundings.output) { context.warnThatWordsStay() }
            try context.withStore(.reading) { (store) throws(CommandFailure) in
                let shown = try context.verifying(tasks, store) { () throws(TaskListError) in
                    try tasks.list.reveal(query, from: store.secrets)
                }
                try write(shown, context)
                let missing = shown.count { $0.words == .missing }
                if missing > 0 { context.report([.missingWords: missing]) }
            }
        }
    }

    private static func write(
        _ shown: [ShownTask], _ context: CommandContext
    ) throws(CommandFailure) {
        let format = context.taskFormat ?? .taskVault
        let tasks = shown.map { ExchangedTask($0.task, words: $0.text) }
        do throws(OutputError) {
            let output = VisibleOutput(Output(descriptor: context.surroundings.output))
            try TaskExport.write(
                tasks, as: format, in: context.calendar, to: output
            ).finish()
        } catch {
            throw CommandFailure(error)
        }
        context.report(TaskExport.leftOut(of: tasks, as: format))
    }
}

extension CommandContext {
    /// The format that was named.
    var taskFormat: TaskFormat? { invocation.text(of: .taskFormat).flatMap(TaskFormat.init) }

    /// Says what a format has no place for.
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
        case .missingWords: "missing_words"
        case .deletedTasks: "deleted_tasks"
        case .recurringPatterns: "recurring_patterns"
        case .notes: "notes"
        case .subtasks: "subtasks"
        case .reminders: "reminders"
        case .times: "times"
        }
    }
}
