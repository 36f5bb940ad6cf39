internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import Tasks

/// `task import`: takes in the tasks of another program.
enum ImportTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let file = try read(context)
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            let (wanted, cleared) = try missing(file.tasks, tasks, context)
            let protected = wanted.filter(\.isProtected)
            var count = cleared.count
            if protected.isEmpty {
                count += try insert(wanted, restoring: cleared, tasks, context)
            } else {
                try context.withStore(.changing) { (store) throws(CommandFailure) in
                    // Before anything is taken in.
                    try context.requireVerified(store)
                    count += try insert(protected: protected, tasks, store, context)
                    count += try insert(wanted, restoring: cleared, tasks, context)
                }
            }
            try report(count, of: file, tasks, context)
        }
    }

    private static func read(_ context: CommandContext) throws(CommandFailure) -> TaskImport {
        let named = context.invocation.text(of: .importedTaskFormat)
        let bytes = try ImportedFile.read(
            context.invocation.text(of: .taskFile), limit: TaskImport.maximumFileSize, context)
        do throws(TaskExchangeError) {
            return try bytes.withBytes { (bytes) throws(TaskExchangeError) in
                try TaskImport.read(
                    bytes, as: named.flatMap(TaskFormat.init), now: context.surroundings.now(),
                    in: context.calendar)
            }
        } catch {
            let help = context.folders.command("task import --help")
            throw CommandFailure(
                .usage, code: "not_importable", "nothing was imported: \(error)",
                hint: error == .notJSON ? "a todo.txt is taken with --format todo.txt" : help)
        }
    }

    /// The tasks that are not in the list yet, and those that were cleared and come back. What was done long ago is shown as long as what was
    /// done now.
    private static func missing(
        _ imported: [ExchangedTask], _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) -> ([ExchangedTask], [TodoTask]) {
        let existing = try context.explaining(tasks) { () throws(TaskListError) in
            try tasks.list.existing(imported.map(\.id))
        }
        var missing: [ExchangedTask] = []
        var cleared: [TodoTask] = []
        for task in imported {
            var added = task
            if added.completion?.cleared == nil { added.completion?.keptFrom = tasks.now }
            guard var row = existing[task.id], task.isSame(as: row) else {
                missing.append(added)
                continue
            }
            // What was cleared is not there for anybody.
            guard row.completion?.cleared != nil, added.completion?.cleared == nil else {
                continue
            }
            // As it was: a file may lack much of it, or have words that were protected since.
            row.completion = added.completion
            cleared.append(row)
        }
        return (missing, cleared)
    }

    /// Takes in what is not protected, and what comes back.
    ///
    /// - Returns: How many are new: those are not among them that another import took in since the list was looked at.
    private static func insert(
        _ wanted: [ExchangedTask], restoring cleared: [TodoTask], _ tasks: OpenTasks,
        _ context: CommandContext
    ) throws(CommandFailure) -> Int {
        let plain = wanted.compactMap(\.plainTask)
        let exchanged = Dictionary(wanted.map { ($0.id, $0) }) { first, _ in first }
        return try context.explaining(tasks) { () throws(TaskListError) in
            var line = ProgressLine("importing", descriptor: context.surroundings.errors)
            let count = try tasks.list.insert(
                plain, replacing: cleared, unless: { exchanged[$0.id]?.isSame(as: $1) ?? false },
                progress: { line.update(done: $0, of: plain.count) })
            line.finish()
            return count
        }
    }

    /// As the other one, of protected tasks.
    private static func insert(
        protected: [ExchangedTask], _ tasks: OpenTasks, _ store: OpenStore,
        _ context: CommandContext
    ) throws(CommandFailure) -> Int {
        var count = 0
        for task in protected {
            guard let (row, text) = task.protectedTask else { continue }
            let isNew = try context.explaining(tasks) { () throws(TaskListError) in
                try tasks.list.insert(
                    row, words: text, in: store.secrets, unless: { task.isSame(as: $0) }
                ).isNew
            }
            if isNew { count += 1 }
        }
        return count
    }

    private static func report(
        _ count: Int, of file: TaskImport, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) {
        context.report(file.leftOut)
        let known = file.tasks.count - count
        guard context.isJSON else {
            let rest = known == 0 ? "" : "; \(counted(known, "task")) there already"
            return try context.printLine("imported \(counted(count, "task"))\(rest)")
        }
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("imported", count)
            try json.member("already_there", known)
            try json.endObject()
        }
    }
}
