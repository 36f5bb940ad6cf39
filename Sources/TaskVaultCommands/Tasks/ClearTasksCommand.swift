internal import CommandLine
internal import Tasks

/// `task clear`: clears completed tasks now, or brings cleared ones back.
enum ClearTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let isUndoing = context.invocation.has(.undo)
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            let count = try context.explaining(tasks) { () throws(TaskListError) in
                isUndoing ? try tasks.list.undoClearing() : try tasks.list.clear()
            }
            guard context.isJSON else {
                let what = counted(count, "task")
                try context.printLine(isUndoing ? "\(what) brought back" : "\(what) cleared")
                if !isUndoing, count > 0 {
                    context.notices.remark(
                        "\(context.folders.command("task clear --undo")) brings them back within 24 hours"
                    )
                }
                return
            }
            try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("count", count)
                try json.endObject()
            }
        }
    }
}
