internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `task undo`: reverts the last command that changed tasks.
enum UndoTaskCommand: Command {
    static let description = CommandDescription(
        path: ["task", "undo"],
        summary: "revert this machine's last task command of the past 24 hours",
        notes: [
            """
            All changes of the command are reverted, or none, as when a task was changed since. Again, it reverts the command before. After task \
            protect it moves the text out of the vault, which requires verification; an edit of protected text is reverted by task restore, and \
            task unprotect by task protect. A protected task that was removed comes back from the vault, which must be unlocked. The files of a task come back with it while the vault is unlocked.
            """
        ],
        examples: [.init("taskvault task undo", "after a mistaken command")],
        exitCodes: .protectedTasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.tasks.withTasks(.changing) { tasks in
            let undone = try undo(tasks, context)
            guard context.console.isJSON else {
                try context.report("as before:", undone.restored, tasks)
                for id in undone.removed { try context.console.printLine("removed \(id.text)") }
                return
            }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.key("restored")
                try json.tasks(undone.restored.map { ShownTask($0) }, now: tasks.moment)
                try json.texts("removed", undone.removed.map(\.text))
                try json.endObject()
            }
        }
    }

    private static let filesStay = "the files of the tasks stay as they are"

    private static func undo(
        _ tasks: OpenTasks, _ context: CommandContext
    ) throws -> UndoneCommand {
        guard try tasks.list.undoNeedsVault() else {
            let undone = try tasks.list.undo(in: nil)
            context.attempt(orWarn: Self.filesStay) {
                try context.vault.withStoreIfUnlocked { try follow(undone, $0, context) }
            }
            return undone
        }
        return try context.vault.withStore(.changing) { store in
            let exposed = try tasks.list.undoUnprotects()
            if exposed.isEmpty {
                try context.vault.requireUnlocked(store)
            } else {
                try context.vault.requireVerified(store)
                try store.protect(filesOf: exposed, false)
            }
            let undone = try tasks.list.undo(in: store.secrets)
            context.attempt(orWarn: Self.filesStay) { try follow(undone, store, context) }
            return undone
        }
    }

    /// Restores the files of restored tasks, and removes those of removed tasks.
    private static func follow(
        _ undone: UndoneCommand, _ store: OpenStore, _ context: CommandContext
    ) throws {
        try store.remove(filesOf: undone.removed)
        let left = try store.bringBack(filesOf: undone.returned, removedFrom: undone.time)
        guard !left.isEmpty else { return }
        context.console.notices.warn(
            "file_name_taken",
            "these files stay removed, because their names are taken: "
                + left.map(ShellText.quote).joined(separator: ", "))
    }
}
