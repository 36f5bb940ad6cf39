internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task import`: imports the tasks of another program.
enum ImportTasksCommand: Command {
    private static let trial = OptionDescription(
        "dry-run", "list the tasks that an import would add, and change nothing")

    static let description = CommandDescription(
        path: ["task", "import"],
        summary: "import the tasks of another program",
        operands: [.taskFile],
        options: [.importedTaskFormat, trial, .itemReport],
        notes: [
            """
            Atomic, except that protected tasks, from an export with --reveal, go into the vault one by one first.
            """,
            """
            Attributes that TaskVault lacks are kept for the next export to the same format; other contents are reported and skipped. A task that is in the list already is not imported again; a cleared task is \
            restored.
            """,
            """
            At most twenty lines of the report are shown; --report FILE writes all. If items cannot be read, the others are imported and the exit code is 1.
            """,
        ],
        examples: [
            .init("task export | taskvault task import -", "from Taskwarrior"),
            .init("taskvault task import tasks.ics --dry-run", "look at a calendar first"),
            .init("taskvault task import --format todo.txt todo.txt", "from todo.txt"),
        ],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let items = try ItemReport(context)
        let file = try read(context)
        guard !context.invocation.has(trial) else {
            return try context.tasks.withTasks(.reading) { tasks in
                let plan = try plan(file, tasks, context)
                let shown =
                    plan.added.map { ShownTask($0.task) } + plan.restored.map { ShownTask($0) }
                try TaskImportReporting(file, trial: shown, plan.existing, items, context)
                    .print(tasks)
            }
        }
        try context.tasks.withTasks(.changing) { tasks in
            let plan = try plan(file, tasks, context)
            let wanted = plan.added
            let protected = wanted.filter(\.isProtected)
            var count = plan.restored.count
            if protected.isEmpty {
                count += try insert(wanted, replacing: plan.replaced, tasks, context)
            } else {
                try context.vault.withStore(.changing) { store in
                    // Verification precedes the first change.
                    try context.vault.requireVerified(store)
                    let ids = try insert(protected: protected, tasks, store)
                    count += ids.new
                    var rest = wanted
                    for index in rest.indices {
                        rest[index].dependencies = rest[index].dependencies.map {
                            ids.renamed[$0] ?? $0
                        }
                    }
                    count += try insert(rest, replacing: plan.replaced, tasks, context)
                }
            }
            try TaskImportReporting(file, count: count, plan.existing, items, context)
                .print(tasks)
        }
    }

    private static func read(_ context: CommandContext) throws -> TaskImport {
        let named = context.invocation.text(of: .importedTaskFormat)
        let bytes = try context.console.readFile(
            context.invocation.text(of: .taskFile), limit: TaskImport.maximumFileSize)
        return try bytes.withBytes { bytes in
            try TaskImport.read(
                bytes, as: named.flatMap(TaskFormat.init), now: context.console.surroundings.now(),
                in: context.tasks.calendar)
        }
    }

    /// The changes of an import.
    private struct Plan {
        /// The tasks that are not in the list yet.
        var added: [ExchangedTask] = []
        /// Cleared tasks that return.
        var restored: [TodoTask] = []
        /// Series without the occurrences that the file has by themselves.
        var moved: [TodoTask] = []
        /// The tasks of the file that are in the list.
        var existing: [TaskImportReporting.Existing] = []

        var replaced: [TodoTask] { restored + moved }
    }

    /// Compares a file with the list. Tasks completed long ago are shown as long as tasks completed now.
    private static func plan(
        _ file: TaskImport, _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> Plan {
        let existing = try tasks.list.existing((file.tasks + file.ended).map(\.id))
        var plan = Plan()
        for task in file.tasks {
            var added = task
            if added.completion?.cleared == nil { added.completion?.keptFrom = tasks.now }
            guard var row = existing[task.id], task.isSame(as: row) else {
                plan.added.append(added)
                continue
            }
            // Cleared tasks count as missing.
            if row.completion?.cleared != nil, added.completion?.cleared == nil {
                // The stored task is kept, because the file may be incomplete or contain text that is protected now.
                row.completion = added.completion
                plan.restored.append(row)
                continue
            }
            var change = TaskImportReporting.Change.none
            if let moved = file.update(row, by: task, in: context.tasks.calendar) {
                plan.moved.append(moved)
                change = .moved
            } else if !task.hasContent(of: row, as: file.format) {
                change = .kept
            }
            plan.existing.append(.init(row, line: file.lines[task.id] ?? 1, change))
        }
        for task in file.ended {
            guard let row = existing[task.id], task.isSame(as: row),
                let done = file.update(row, by: task, in: context.tasks.calendar)
            else { continue }
            plan.moved.append(done)
            plan.existing.append(.init(row, line: file.lines[task.id] ?? 1, .ended))
        }
        return plan
    }

    /// Inserts tasks that are not protected, and replaces existing ones.
    ///
    /// - Returns: The number of new tasks, without those that another import added since the list was read.
    private static func insert(
        _ wanted: [ExchangedTask], replacing changed: [TodoTask], _ tasks: OpenTasks,
        _ context: CommandContext
    ) throws -> Int {
        let plain = wanted.compactMap(\.plainTask)
        let exchanged = Dictionary(wanted.map { ($0.id, $0) }) { first, _ in first }
        var line = ProgressLine("importing", descriptor: context.console.surroundings.errors)
        let count = try tasks.list.insert(
            plain, replacing: changed, unless: { exchanged[$0.id]?.isSame(as: $1) ?? false },
            progress: { line.update(done: $0, of: plain.count) })
        line.finish()
        return count
    }

    /// Inserts protected tasks.
    ///
    /// - Returns: The number of new ones, and the ids of those whose own were taken.
    private static func insert(
        protected: [ExchangedTask], _ tasks: OpenTasks, _ store: OpenStore
    ) throws -> (new: Int, renamed: [TaskID: TaskID]) {
        var (count, renamed) = (0, [TaskID: TaskID]())
        for task in protected {
            guard let (protected, text) = task.protectedTask else { continue }
            var row = protected
            row.dependencies = row.dependencies.map { renamed[$0] ?? $0 }
            let added = try tasks.list.insert(
                row, text: text, in: store.secrets, unless: { task.isSame(as: $0) })
            if added.isNew { count += 1 }
            if added.task.id != row.id { renamed[row.id] = added.task.id }
        }
        return (count, renamed)
    }
}

extension OperandDescription {
    static let taskFile = OperandDescription(
        "FILE", .file, "the file; - is standard input")
}

extension OptionDescription {
    static let importedTaskFormat = OptionDescription(
        "format", .choice("FORMAT", TaskFormat.names),
        "the format of the file; detected if left out, except todo.txt")
}
