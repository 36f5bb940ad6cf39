internal import Terminal
internal import TodoTasks

/// `task move-database`: copies all tasks into another database and uses that from now on.
enum MoveDatabaseCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let target = context.invocation.text(of: .databaseTarget)
        guard let setting = Preference.database.canonical(target) else {
            throw .usage(Preference.database.explanation)
        }
        let place = try TaskDatabasePlace(setting, context.folders)
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            guard tasks.place.title != place.title else {
                throw .usage("the tasks are in \(place.title) already")
            }
            let repository = try context.explainingTasks(place) { () throws(TaskRepositoryError) in
                try place.open(.changing)
            }
            defer { repository.close() }
            let count: Int
            do throws(TaskCopyError) {
                count = try TaskCopy(from: tasks.repository, to: repository).run()
            } catch {
                switch error {
                case .source(let error): throw CommandFailure(error, tasks.place, context.vault)
                case .target(let error): throw CommandFailure(error, place, context.vault)
                case .notEmpty:
                    throw CommandFailure(
                        .alreadyExists, code: "database_not_empty",
                        "\(place.title) has tasks already",
                        hint: context.folders.command(
                            "settings set database \(ShellText.quote(setting))")
                            + " uses them")
                }
            }
            // Only now: whoever is interrupted before this goes on with the old one.
            try context.set(.database, to: setting)
            guard context.isJSON else {
                return try context.printLine(
                    "\(counted(count, "task")) copied to \(place.title), which is used from now on; \(tasks.place.title) stays as it was"
                )
            }
            try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("database", setting)
                try json.member("count", count)
                try json.endObject()
            }
        }
    }
}
