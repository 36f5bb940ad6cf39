internal import CommandLine
internal import Tasks

/// `task subtask add`: adds a subtask at the end.
enum AddSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.editSubtasks { (text, task) throws(CommandFailure) in
            let name = try context.subtaskName(task)
            text.addSubtask(name)
        }
    }
}

/// `task subtask done`: marks a subtask as done.
enum FinishSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.editSubtask { (text, index, _) in text.subtasks[index].isDone = true }
    }
}

/// `task subtask undone`: marks a subtask as not done.
enum ReopenSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.editSubtask { (text, index, _) in text.subtasks[index].isDone = false }
    }
}

/// `task subtask rename`: gives a subtask another name.
enum RenameSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.editSubtask { (text, index, task) throws(CommandFailure) in
            text.subtasks[index].name = try context.subtaskName(task)
        }
    }
}

/// `task subtask remove`: removes a subtask.
enum RemoveSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.editSubtask { (text, index, _) in text.subtasks.remove(at: index) }
    }
}

/// `task subtask move`: moves a subtask to another place.
enum MoveSubtaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let typed = context.invocation.text(of: .subtaskPosition)
        let position: Int
        switch typed {
        case "first": position = 0
        case "last": position = .max
        default:
            guard let number = Int(typed), (1...TaskTextRule.maximumSubtasks).contains(number)
            else {
                throw .usage(
                    "POSITION is a number from 1 on, first or last",
                    hint: context.folders.command("task subtask move ID SUBTASK 1"))
            }
            position = number - 1
        }
        try context.editSubtask { (text, index, _) in
            let subtask = text.subtasks.remove(at: index)
            text.subtasks.insert(subtask, at: min(position, text.subtasks.count))
        }
    }
}

extension CommandContext {
    /// Changes the subtasks of the task that the operand means.
    fileprivate func editSubtasks(
        _ change: (inout TaskText, TodoTask) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        try withTasks(.changing) { (tasks) throws(CommandFailure) in
            let task = try self.task(invocation.text(of: .task), in: tasks)
            let changed = try editWords(of: task, tasks) { (text) throws(CommandFailure) in
                try change(&text, task)
            }
            try report("changed", changed, tasks)
        }
    }

    /// Changes the subtask that the operands mean.
    fileprivate func editSubtask(
        _ change: (inout TaskText, Int, TodoTask) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        try withTasks(.changing) { (tasks) throws(CommandFailure) in
            let task = try self.task(invocation.text(of: .task), in: tasks)
            let changed = try editWords(of: task, tasks) { (text) throws(CommandFailure) in
                let typed = invocation.text(of: .subtask)
                let index = try explaining(tasks) { [text] () throws(TaskListError) in
                    try text.subtaskIndex(typed)
                }
                try change(&text, index, task)
            }
            try report("changed", changed, tasks)
        }
    }

    /// The name of a subtask: from the operands, or, as for protected tasks always, asked for or read from standard input.
    fileprivate func subtaskName(_ task: TodoTask) throws(CommandFailure) -> String {
        if let name = typedName(.subtaskName) {
            guard !task.isProtected else {
                throw .usage(
                    "the words of a protected task are not given on the command line",
                    hint: "leave the name out: it is asked for, or read from standard input")
            }
            return name
        }
        return try readLine("Name", isProtected: task.isProtected)
    }
}
