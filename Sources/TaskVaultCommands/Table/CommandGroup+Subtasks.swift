internal import CommandLine

extension CommandGroup {
    /// The steps of tasks.
    static let subtasks = CommandGroup(
        title: "Subtasks",
        commands: [
            addSubtask, finishSubtask, reopenSubtask, renameSubtask, removeSubtask, moveSubtask,
        ])

    private static let addSubtask = CommandDescription(
        path: ["task", "subtask", "add"],
        summary: "add a subtask at the end",
        operands: [.task, .subtaskName],
        notes: [protectedNote],
        examples: [.init("taskvault task subtask add k7m buy paint", "a step of the task k7m")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let finishSubtask = CommandDescription(
        path: ["task", "subtask", "done"],
        summary: "mark a subtask as done",
        operands: [.task, .subtask],
        examples: [
            .init("taskvault task subtask done k7m 2q", "the subtask whose id begins with 2q")
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let reopenSubtask = CommandDescription(
        path: ["task", "subtask", "undone"],
        summary: "mark a subtask as not done",
        operands: [.task, .subtask],
        examples: [.init("taskvault task subtask undone k7m 2q", "it is to be done again")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let renameSubtask = CommandDescription(
        path: ["task", "subtask", "rename"],
        summary: "give a subtask another name",
        operands: [.task, .subtask, .subtaskName],
        notes: [protectedNote],
        examples: [.init("taskvault task subtask rename k7m 2q buy blue paint", "a new name")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let removeSubtask = CommandDescription(
        path: ["task", "subtask", "remove"],
        summary: "remove a subtask",
        operands: [.task, .subtask],
        examples: [.init("taskvault task subtask remove k7m 2q", "without asking")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let moveSubtask = CommandDescription(
        path: ["task", "subtask", "move"],
        summary: "move a subtask to another place",
        operands: [.task, .subtask, .subtaskPosition],
        examples: [
            .init("taskvault task subtask move k7m 2q 1", "to the top"),
            .init("taskvault task subtask move k7m 2q last", "to the end"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    private static let protectedNote =
        "The subtasks of a protected task are in the vault: leave the name out, to be asked for it or to have it read from standard input."
}
