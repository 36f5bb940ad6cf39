internal import CommandLine
internal import Tasks

/// `task move-database`: copies all tasks into another database and uses that from now on.
enum MoveDatabaseCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let target = context.invocation.text(of: .databaseTarget)
        guard let setting = Preference.database.canonical(target) else {
            throw .usage(Preference.database.explanation)
        }
        let place = try TaskDatabasePlace(setting, context.folders)
        let (count, source) = try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            guard tasks.place.title != place.title else {
                throw .usage("the tasks are in \(place.title) already")
            }
            let repository = try context.explainingTasks(place) { () throws(TaskRepositoryError) in
                try place.open(.changing)
            }
            defer { repository.close() }
            return (try move(tasks, to: repository, place, setting, context), tasks.place)
        }
        let kept = try source.putAside(context)
        guard context.isJSON else {
            return try context.printLine(
                "\(counted(count, "task")) copied to \(place.title), which is used from now on; the old list is \(kept)"
            )
        }
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("database", setting)
            try json.member("count", count)
            try json.member("kept", kept)
            try json.endObject()
        }
    }

    /// Copies while nobody else can write into the old database, and switches before anybody can again: who waited for that is refused
    /// (``MovableTaskRepository``), a second one that moves the list among them.
    private static func move(
        _ tasks: OpenTasks, to repository: any TaskRepository, _ place: TaskDatabasePlace,
        _ setting: String, _ context: CommandContext
    ) throws(CommandFailure) -> Int {
        let holder = try context.explainingTasks(tasks.place) { () throws(TaskRepositoryError) in
            try tasks.place.openCurrent(.changing)
        }
        defer { holder.close() }
        do throws(TaskRepositoryFailure<CommandFailure>) {
            return try holder.change { (_) throws(CommandFailure) in
                let count = try copy(tasks, to: repository, place, setting, context)
                // Only now: whoever is interrupted before this goes on with the old one.
                try context.set(.database, to: setting)
                return count
            }
        } catch {
            switch error {
            case .body(let failure): throw failure
            case .repository(let error): throw CommandFailure(error, tasks.place, context.vault)
            }
        }
    }

    private static func copy(
        _ tasks: OpenTasks, to repository: any TaskRepository, _ place: TaskDatabasePlace,
        _ setting: String, _ context: CommandContext
    ) throws(CommandFailure) -> Int {
        do throws(TaskCopyError) {
            return try TaskCopy(from: tasks.repository, to: repository).run()
        } catch {
            switch error {
            case .source(let error): throw CommandFailure(error, tasks.place, context.vault)
            case .target(let error): throw CommandFailure(error, place, context.vault)
            case .notEmpty:
                throw CommandFailure(
                    .alreadyExists, code: "database_not_empty", "\(place.title) has tasks already",
                    hint: context.folders.command(
                        "settings set database \(ShellText.quote(setting))") + " uses them")
            }
        }
    }
}

extension TaskDatabasePlace {
    /// Gives a file whose tasks were copied another name, so that nobody takes it for the list any more; says of a server who may.
    ///
    /// - Returns: Where the old list is.
    fileprivate func putAside(_ context: CommandContext) throws(CommandFailure) -> String {
        guard isFile else {
            context.notices.warn(
                "old_list_in_use",
                "machines and programs whose settings still name \(title) go on with the old list there"
            )
            return title
        }
        // Somebody else has it open, and under another name its log would not be found.
        guard !FileSystem.exists(title + "-wal") else {
            context.notices.warn(
                "old_list_in_use",
                "another program is using \(title), which keeps its name: task commands that had begun are refused, but what other programs change there is not in the new database"
            )
            return title
        }
        let time = Timestamp.rfc3339(milliseconds: context.surroundings.now().milliseconds)
        let kept = title + ".moved-" + time
        do throws(SystemFailure) {
            try FileSystem.rename(title, to: kept)
        } catch {
            throw CommandFailure(
                .failure, code: "cannot_rename",
                "the tasks are copied and used from now on, but \(title) keeps its name: \(error.explanation)"
            )
        }
        return kept
    }
}
