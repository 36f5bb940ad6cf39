package import CommandLine
internal import Tasks

extension OperandDescription {
    /// Which task.
    package static let task = OperandDescription(
        "ID", "the task's id, or its first characters as far as no other task has them")
    /// Which tasks.
    package static let tasks = OperandDescription(
        "ID", "the ids of the tasks, or their first characters", count: 1...1_000)
    /// What is to be done.
    package static let taskName = OperandDescription(
        "NAME", "what is to be done; several words need no quotation marks", count: 0...1_000)
    /// Which subtask.
    package static let subtask = OperandDescription(
        "SUBTASK", "the subtask's id, or its first characters")
    /// What a subtask is about.
    package static let subtaskName = OperandDescription(
        "NAME", "the subtask; left out, it is asked for or read from standard input",
        count: 0...1_000)
    /// Where a subtask goes.
    package static let subtaskPosition = OperandDescription(
        "POSITION", "its new place: a number from 1 on, first or last")
    /// A file of tasks.
    package static let taskFile = OperandDescription(
        "FILE", .file, "the file; - is standard input")
    /// Where the tasks go.
    package static let databaseTarget = OperandDescription(
        "DATABASE", "sqlite, or an address such as postgresql://host/name")
}

extension OptionDescription {
    /// Words into the vault.
    package static let protected = OptionDescription(
        "protected",
        "keep the words in the vault only; the name is asked for, or read from standard input")
    /// When it is due.
    package static let due = OptionDescription(
        "due", .text("WHEN"),
        "when it is due, such as 'tomorrow 9:00', 'fri 18:00', 'in 2h' or 2026-12-01")
    /// When it is due from now on.
    package static let newDue = OptionDescription(
        "due", .text("WHEN"), "when it is due from now on; never takes the time away")
    /// Notes.
    package static let notes = OptionDescription(
        "notes", .choice("-", ["-"]),
        "read notes from standard input, after the name if that is read too")
    /// A reminder.
    package static let reminder = OptionDescription("reminder", "note that a reminder is wanted")
    /// No reminder.
    package static let noReminder = OptionDescription(
        "no-reminder", "note that no reminder is wanted")
    /// The name after an edit.
    package static let newName = OptionDescription(
        "name", .text("NAME"), "the new name; - asks for it or reads it from standard input")
    /// Not done.
    package static let onlyOpen = OptionDescription("open", "only what is not done")
    /// Done.
    package static let onlyDone = OptionDescription("done", "only what is done")
    /// Overdue.
    package static let onlyOverdue = OptionDescription(
        "overdue", "only what should have been done by now")
    /// Due before.
    package static let dueBefore = OptionDescription(
        "due-before", .text("WHEN"), "only what is due before this time")
    /// Protected.
    package static let onlyProtected = OptionDescription(
        "protected", "only tasks whose words are in the vault")
    /// Text.
    package static let search = OptionDescription(
        "search", .text("TEXT"),
        "only tasks with this text in name, notes or subtasks, upper or lower case")
    /// Order.
    package static let order = OptionDescription(
        "order", .choice("ORDER", TaskOrder.allCases.map(\.rawValue)),
        "in which order; on a terminal it is remembered as the setting task-order")
    /// How many.
    package static let limit = OptionDescription(
        "limit", .number("N", 1...1_000_000), "at most so many (on a terminal 200 if left out)")
    /// Protected words.
    package static let reveal = OptionDescription(
        "reveal", "show protected words, after the passphrase where that is needed")
    /// Back again.
    package static let undo = OptionDescription(
        "undo", "bring back what was cleared in the past 24 hours")
    /// The format of an export.
    package static let taskFormat = OptionDescription(
        "format", .choice("FORMAT", taskFormats), "the format to write", standard: "taskvault")
    /// The format of an import.
    package static let importedTaskFormat = OptionDescription(
        "format", .choice("FORMAT", taskFormats),
        "the format of the file; found out from the file if left out, except todo.txt")
    private static let taskFormats = TaskFormat.allCases.map(\.rawValue)
    /// Days of statistics.
    package static let days = OptionDescription(
        "days", .number("N", 1...366), "how many days the chart has", standard: "28")
}

extension [ExitCode] {
    /// How commands can end that use the tasks' database.
    static let tasks: [ExitCode] = [.notFound, .damaged, .refused, .serverUnreachable]
    /// How commands can end that use protected words, too.
    static let protectedTasks: [ExitCode] = tasks + [.locked, .wrongPassphrase]
}
