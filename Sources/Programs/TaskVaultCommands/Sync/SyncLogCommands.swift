internal import Application
internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `sync log`: lists values that lost against a concurrent or later change of another device.
enum SyncLogCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "log"],
        summary: "list what changes of other devices replaced, for 90 days",
        notes: [
            """
            Labels, due times, lists and other single fields have one value; the newest wins, and the others are here. Values of secrets \
            and texts of protected tasks are never here: secret history and task history have them.
            """,
            "While the vault is locked, shows tasks only.",
        ],
        examples: [.init("taskvault sync log", "after both machines changed one task")],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.console.print(try context.application.sync.log())
    }
}

extension Console {
    /// Prints what changes of other devices replaced.
    func print(_ entries: [SyncLogEntry]) throws {
        guard !isJSON else {
            return try printJSON { json in
                try json.beginArray()
                for entry in entries {
                    try json.beginObject()
                    try json.member("time", milliseconds: entry.time)
                    try json.member("kind", entry.kind)
                    try json.member("name", entry.name)
                    try json.member("field", entry.field)
                    try json.member("value", entry.value)
                    try json.member("device", entry.device)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !entries.isEmpty else {
            if isTerminal { notices.remark("nothing was replaced") }
            return
        }
        var table = TextTable([
            .init("TIME", isWhole: true), .init("DEVICE"), .init("NAME"), .init("FIELD"),
            .init("VALUE", takesRest: true),
        ])
        for entry in entries {
            table.add([
                Timestamp.rfc3339(milliseconds: entry.time), entry.device, entry.name, entry.field,
                entry.value,
            ])
        }
        try print(table)
    }
}

/// `sync seen`: lists what is marked *concurrent*, and clears the marks.
enum SyncSeenCommand: Command {
    private static let all = OptionDescription("all", "clear all marks")

    static let description = CommandDescription(
        path: ["sync", "seen"],
        summary: "list what two devices changed at the same time, or clear the marks",
        options: [all],
        notes: [
            """
            Both values are kept: the newer one is shown, the other one is in secret history, task history or file show. Looking there clears the \
            mark of one entry on every device; --all clears all.
            """
        ],
        examples: [
            .init("taskvault sync seen", "what to look at"),
            .init("taskvault sync seen --all", "after looking at everything"),
        ],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        try context.vault.withStore(.changing) { store in
            let marked = try sync.marked(store)
            let names = try sync.fileNames(store)
            let files = marked.secrets.compactMap { names[$0] }
            if context.invocation.has(all) { try sync.clearMarks(store) }
            guard !context.console.isJSON else {
                return try context.console.printJSON { json in
                    try json.beginObject()
                    try json.key("secrets")
                    try json.beginArray()
                    for name in marked.secrets where !name.isFile {
                        try json.beginObject()
                        try json.member("service", name.service)
                        try json.member("account", name.account)
                        try json.member("field", name.field)
                        try json.endObject()
                    }
                    try json.endArray()
                    try json.key("files")
                    try json.beginArray()
                    for name in files { try json.string(name) }
                    try json.endArray()
                    try json.key("tasks")
                    try json.beginArray()
                    for id in marked.tasks { try json.string(id.text) }
                    try json.endArray()
                    try json.member("cleared", context.invocation.has(all))
                    try json.endObject()
                }
            }
            if marked.isEmpty {
                return context.console.notices.remark("nothing is marked")
            }
            try context.console.print { output in
                for name in marked.secrets where !name.isFile {
                    try output.writeLine(VisibleText.escape("secret \(name.typed)"))
                }
                for name in files {
                    try output.writeLine(VisibleText.escape("file \(ShellText.quote(name))"))
                }
                for id in marked.tasks { try output.writeLine("task \(id.text)") }
            }
            if context.invocation.has(all) {
                context.console.notices.remark("cleared \(counted(marked.count, "mark"))")
            }
        }
    }
}
