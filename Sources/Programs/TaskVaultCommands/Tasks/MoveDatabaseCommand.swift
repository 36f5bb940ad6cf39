internal import Application
internal import CommandLine
internal import Tasks
internal import Platform
internal import TextCoding

/// `task move-database`: copies all tasks into another database, and switches to it.
enum MoveDatabaseCommand: Command {
    static let description = CommandDescription(
        path: ["task", "move-database"],
        summary: "copy all tasks into another database and use it from now on",
        operands: [.databaseTarget],
        notes: [
            """
            The other database must have no tasks. The old file stays complete under another name, unless another program is using it; \
            protected text stays in the vault.
            """,
            "A command that started before and writes only now is refused; run it again.",
        ],
        examples: [
            .init(
                "taskvault task move-database postgresql://ada@db.example/tasks",
                "from SQLite to PostgreSQL"),
            .init("taskvault task move-database sqlite", "and back"),
        ],
        exitCodes: .tasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let target = context.invocation.text(of: .databaseTarget)
        let setting = try StoredSetting.database.canonical(target)
        try context.settings.requireNoSync(.database, setting)
        let place = try TaskDatabasePlace(setting, context.folders, .replacing)
        let (count, source) = try context.tasks.withTasks(.changing) { tasks in
            guard tasks.place.title != place.title else {
                throw Failure.usage("the tasks are already in \(place.title)")
            }
            let repository = try inTarget(place, context) { try place.open(.changing) }
            defer { repository.close() }
            return (try move(tasks, to: repository, place, context), tasks.place)
        }
        let kept = try source.putAside(context)
        guard context.console.isJSON else {
            return try context.console.printLine(
                "\(counted(count, "task")) copied to \(place.title), which is used from now on; the old list is \(kept)"
            )
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("database", setting)
            try json.member("count", count)
            try json.member("kept", kept)
            try json.endObject()
        }
    }

    /// Copies the tasks while no other program can write into the old database, and switches before one can again. A command that waited is
    /// refused (``TaskListError/moved``). A second command that moves the list is refused as well.
    private static func move(
        _ tasks: OpenTasks, to repository: TaskRepository, _ place: TaskDatabasePlace,
        _ context: CommandContext
    ) throws -> Int {
        let holder = try tasks.place.openCurrent(.changing)
        defer { holder.close() }
        return try holder.change { _ in
            let copy = try TaskCopy(of: tasks.repository)
            let count = try inTarget(place, context) { try copy.write(to: repository) }
            // The setting changes last, so an earlier interruption leaves the old list in use.
            _ = try context.settings.set(.database, to: place.setting)
            return count
        }
    }

    /// Records the target as the subject of errors.
    private static func inTarget<Result>(
        _ place: TaskDatabasePlace, _ context: CommandContext, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            context.errors.tasks = place
            throw error
        }
    }
}

extension TaskDatabasePlace {
    /// Renames the file of copied tasks, so that no program uses it as the list. Warns if the old list is on a server.
    ///
    /// - Returns: The place of the old list.
    fileprivate func putAside(_ context: CommandContext) throws -> String {
        guard isFile else {
            context.console.notices.warn(
                "old_list_in_use",
                "machines and programs whose settings still name \(title) continue to use the old list"
            )
            return title
        }
        // Another process has the file open. After a rename, SQLite would not find its write-ahead log.
        guard !FileSystem.exists(title + "-wal") else {
            context.console.notices.warn(
                "old_list_in_use",
                "another program is using \(title), so the file keeps its name: changes of other programs in it are not in the new database"
            )
            return title
        }
        let time = Timestamp.rfc3339(milliseconds: context.console.surroundings.now().milliseconds)
        let kept = title + ".moved-" + time
        do {
            try FileSystem.rename(title, to: kept)
            forgetSeen()
        } catch let error as SystemFailure {
            throw Failure(
                .failure, code: "cannot_rename",
                "the tasks were copied, but \(title) keeps its name: \(error.explanation)"
            )
        }
        return kept
    }
}

extension OperandDescription {
    static let databaseTarget = OperandDescription(
        "DATABASE", "sqlite, or an address such as postgresql://host/name")
}
