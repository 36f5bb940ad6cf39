internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task import`: imports the tasks of another program.
enum ImportTasksCommand: Command {
    static let description = CommandDescription(
        path: ["task", "import"],
        summary: "import the tasks of another program",
        operands: [.taskFile],
        options: [.importedTaskFormat],
        notes: [
            """
            Atomic, except that protected tasks, from an export with --reveal, go into the vault one by one first.
            """,
            """
            Attributes that TaskVault lacks are kept for the next export to the same format; other contents are reported and skipped. A task that is in the list already is not imported again; a cleared task is \
            restored.
            """,
        ],
        examples: [
            .init("task export | taskvault task import -", "from Taskwarrior"),
            .init("taskvault task import tasks.ics", "from a calendar"),
            .init("taskvault task import --format todo.txt todo.txt", "from todo.txt"),
        ],
        exitCodes: .protectedTasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let file = try read(context)
        try context.tasks.withTasks(.changing) { tasks in
            let (wanted, cleared) = try missing(file.tasks, tasks, context)
            let protected = wanted.filter(\.isProtected)
            var count = cleared.count
            if protected.isEmpty {
                count += try insert(wanted, restoring: cleared, tasks, context)
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
                    count += try insert(rest, restoring: cleared, tasks, context)
                }
            }
            try report(count, of: file, tasks, context)
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

    /// The tasks that are not in the list yet, and cleared tasks that return. Tasks completed long ago are shown as long as tasks completed
    /// now.
    private static func missing(
        _ imported: [ExchangedTask], _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> ([ExchangedTask], [TodoTask]) {
        let existing = try tasks.list.existing(imported.map(\.id))
        var missing: [ExchangedTask] = []
        var cleared: [TodoTask] = []
        for task in imported {
            var added = task
            if added.completion?.cleared == nil { added.completion?.keptFrom = tasks.now }
            guard var row = existing[task.id], task.isSame(as: row) else {
                missing.append(added)
                continue
            }
            // Cleared tasks count as missing.
            guard row.completion?.cleared != nil, added.completion?.cleared == nil else {
                continue
            }
            // The stored task is kept, because the file may be incomplete or contain text that is protected now.
            row.completion = added.completion
            cleared.append(row)
        }
        return (missing, cleared)
    }

    /// Inserts tasks that are not protected, and restores cleared ones.
    ///
    /// - Returns: The number of new tasks, without those that another import added since the list was read.
    private static func insert(
        _ wanted: [ExchangedTask], restoring cleared: [TodoTask], _ tasks: OpenTasks,
        _ context: CommandContext
    ) throws -> Int {
        let plain = wanted.compactMap(\.plainTask)
        let exchanged = Dictionary(wanted.map { ($0.id, $0) }) { first, _ in first }
        var line = ProgressLine("importing", descriptor: context.console.surroundings.errors)
        let count = try tasks.list.insert(
            plain, replacing: cleared, unless: { exchanged[$0.id]?.isSame(as: $1) ?? false },
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

    private static func report(
        _ count: Int, of file: TaskImport, _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        context.console.report(file.leftOut)
        let known = file.tasks.count - count
        guard context.console.isJSON else {
            let rest =
                known == 0
                ? "" : "; \(counted(known, "task")) already \(known == 1 ? "exists" : "exist")"
            return try context.console.printLine("imported \(counted(count, "task"))\(rest)")
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("imported", count)
            try json.member("already_there", known)
            try json.endObject()
        }
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
