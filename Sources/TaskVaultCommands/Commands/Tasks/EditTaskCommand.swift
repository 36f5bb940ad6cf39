internal import CommandSyntax
internal import SecureStorage
internal import Terminal
internal import TodoTasks
internal import VaultAgent

/// `task edit`: changes name, notes, due time or reminder.
enum EditTaskCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let invocation = context.invocation
        let changesWords = invocation.has(.newName) || invocation.has(.notes)
        let takesDueAway = invocation.text(of: .newDue)?.lowercased() == "never"
        let due = takesDueAway ? nil : try context.time(.newDue)
        guard
            changesWords || invocation.has(.newDue) || invocation.has(.reminder)
                || invocation.has(.noReminder)
        else {
            throw .usage(
                "nothing is to be changed",
                hint: context.folders.command("task edit ID --due 'fri 18:00'"))
        }
        try context.withTasks(.changing) { (tasks) throws(CommandFailure) in
            var task = try context.task(invocation.text(of: .task), in: tasks)
            if invocation.has(.newDue) { task.due = due }
            if invocation.has(.reminder) { task.hasReminder = true }
            if invocation.has(.noReminder) { task.hasReminder = false }
            let changed =
                changesWords
                ? try editWords(of: task, tasks, context)
                : try context.explaining(tasks) { () throws(TaskListError) in
                    try tasks.list.replace(task)
                }
            try context.report("changed", changed, tasks)
        }
    }

    private static func editWords(
        of task: TodoTask, _ tasks: OpenTasks, _ context: CommandContext
    ) throws(CommandFailure) -> TodoTask {
        let name = context.invocation.text(of: .newName)
        if task.isProtected { try context.requireNotesOffScreen() }
        if task.isProtected, let name, name != "-" {
            throw .usage(
                "the name of a protected task is not given on the command line",
                hint: "--name - asks for it, or reads it from standard input")
        }
        return try context.editWords(of: task, tasks) { (text) throws(CommandFailure) in
            if name == "-" {
                text.name = try context.readLine("Name", isProtected: task.isProtected)
            } else if let name {
                text.name = name
            }
            if context.invocation.has(.notes) {
                text.notes = try context.readNotes(isProtected: task.isProtected)
            }
        }
    }
}

extension CommandContext {
    /// Changes the words of a task, wherever they are.
    func editWords(
        of task: TodoTask, _ tasks: OpenTasks,
        _ change: (inout TaskText) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> TodoTask {
        if var text = task.plainText {
            let changed = task
            try change(&text)
            return try explaining(tasks) { () throws(TaskListError) in
                try tasks.list.replace(changed, words: text)
            }
        }
        return try withStore(.changing) { (store) throws(CommandFailure) in
            let words = try explaining(tasks) { () throws(TaskListError) in
                try tasks.list.words(of: task, from: store.secrets)
            }
            var text = words.text
            try change(&text)
            // What was typed meanwhile is not given up because the window has closed.
            return try verifying(tasks, store) { () throws(TaskListError) in
                try tasks.list.edit(task, words, to: text, in: store.secrets)
            }
        }
    }

    /// Fails early where protected words could not be saved.
    func requireVerified(_ store: OpenStore) throws(CommandFailure) {
        guard let agent = store.agent else { return }
        let status = try explainingAgent { () throws(AgentError) in try agent.status() }
        guard status.isUnlocked else { throw .locked(vault) }
        guard status.isVerified else { throw CommandFailure(SecureStoreError.notVerified, vault) }
    }
}
