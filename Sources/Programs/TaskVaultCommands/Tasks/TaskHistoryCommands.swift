internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks

/// `task history`: lists the revisions and times of earlier texts of a protected task.
enum TaskHistoryCommand: Command {
    static let description = CommandDescription(
        path: ["task", "history"],
        summary: "list the earlier texts of a protected task, by revision and time",
        operands: [.task],
        notes: [
            """
            Name, notes and subtasks are one text. It is not shown. The settings earlier-values and earlier-days say how many texts are \
            kept, and for how long. A task that is not protected has no earlier texts; if it is marked concurrent, shows what other devices wrote.
            """,
            "Clears the mark concurrent of the task, on all devices.",
        ],
        examples: [.init("taskvault task history k7m", "before a restore")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasksAndVault(.reading) { tasks, store in
            let task = try context.task(in: tasks)
            let sync = context.application.sync
            if !task.isProtected, sync.markedTasks().contains(task.id) {
                let replaced = try sync.log().filter {
                    $0.kind == "task" && $0.name == task.id.text
                }
                try context.console.print(replaced)
                return sync.looked(at: task.id, store)
            }
            let earlier = try tasks.list.history(of: task, from: store.secrets)
            try context.console.printHistory(earlier, of: "task \(task.id.text)") { json, text in
                try json.member("revision", text.item.revision)
                try json.member("modified", milliseconds: text.item.modified)
            }
            sync.looked(at: task.id, store)
        }
    }
}

/// `task restore`: makes an earlier text of a protected task the current one.
enum RestoreTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "restore"],
        summary: "bring back an earlier text of a protected task",
        operands: [.task],
        options: [.revision],
        notes: [
            """
            The text that was replaced last comes back, or that of --revision; the replaced one can be restored, too. Requires verification.
            """
        ],
        examples: [
            .init("taskvault task restore k7m", "after a mistaken change"),
            .init("taskvault task restore k7m --revision 3", "a text that task history shows"),
        ],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasksAndVault(.changing) { tasks, store in
            let task = try context.task(in: tasks)
            let history = try tasks.list.history(of: task, from: store.secrets)
            let subject = "task \(task.id.text)"
            let revision = try context.revision(
                context.invocation.number(of: .revision), in: history, of: subject
            ) { "task history \(task.id.text)" }
            let changed = try context.vault.verifying(store) {
                try tasks.list.restore(task, toRevision: revision, in: store.secrets)
            }
            try context.report("restored the text of", changed, tasks)
        }
    }
}
