/// `task export`: prints all tasks for another program.
enum ExportTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {}
}

/// `task import`: takes in the tasks of another program.
enum ImportTasksCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {}
}
