internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file remove`: removes files, which `file restore` can bring back for some time.
enum RemoveFilesCommand: Command {
    private static let permanently = OptionDescription(
        "permanently", "erase them at once, with their earlier contents")

    static let description = CommandDescription(
        path: ["file", "remove"],
        summary: "remove files",
        operands: [.files],
        options: [permanently, .yes],
        notes: [
            """
            Asks on a terminal. A removed file stays in the vault for the time of the setting removed-days; file restore brings it back. With \
            --permanently also the removed files of a name are erased, if no file has it.
            """
        ],
        examples: [
            .init("taskvault file remove holiday.jpg", "it can be restored for 30 days"),
            .init("taskvault file remove --permanently old.iso", "its space is free at once"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let isPermanent = context.invocation.has(permanently)
        try context.vault.withStore(.changing) { store in
            // Missing files are reported before the question.
            let files = try context.invocation.texts(of: .files).flatMap { name in
                try found(name, in: store.files, orRemoved: isPermanent, context)
            }
            let days = isPermanent ? 0 : try store.settings()[.removedDays]
            let what = files.count == 1 ? files[0].typed : counted(files.count, "file")
            if days == 0 || context.console.asks {
                try context.console.requireConsent(to: "remove \(what)") { prompt in
                    try prompt.confirm("Remove \(what)\(days == 0 ? " permanently" : "")?")
                }
            }
            for file in files {
                context.errors.file = file.name
                try store.files.remove(file.id, permanently: isPermanent)
                if !context.console.isJSON { try file.report("removed", on: context.console) }
            }
            if context.console.isJSON {
                try context.console.printJSON { json in try json.files(files) }
            }
            context.application.sweep(store)
        }
    }

    private static func found(
        _ name: String, in files: any FileStore, orRemoved isPermanent: Bool,
        _ context: CommandContext
    ) throws -> [StoredFile] {
        do {
            return [try context.application.file(named: name, in: files)]
        } catch {
            guard isPermanent, context.errors.failure(error).exitCode == .notFound else {
                throw error
            }
            let removed = try files.removed().map(\.file).filter {
                $0.name.hasSameBytes(as: name) || $0.id == name
            }
            guard !removed.isEmpty else { throw error }
            return removed
        }
    }
}

/// `file restore`: restores a removed file, or an earlier content.
enum RestoreFileCommand: Command {
    private static let id = OptionDescription(
        "id", .text("ID"), "one of several removed files of this name: a beginning of its id")
    private static let newName = OptionDescription(
        "name", .text("NAME"), "the name under which the removed file comes back")

    static let description = CommandDescription(
        path: ["file", "restore"],
        summary: "bring back a removed file or an earlier content",
        operands: [.file],
        options: [.earlierContent, id, newName],
        exclusive: [.earlierContent, id],
        notes: [
            """
            Of an existing file, the content of --revision, or the one that was replaced last, becomes the present one. Otherwise the file of this \
            name that was removed last comes back.
            """
        ],
        examples: [
            .init("taskvault file restore holiday.jpg", "after a mistaken removal"),
            .init("taskvault file restore budget.ods --revision 3", "an earlier content"),
            .init("taskvault file restore a.txt --name b.txt", "beside a new file of its name"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let restored = try context.vault.withStore(.changing) { store -> StoredFile in
            let file = try context.vault.verifying(store) { try restore(store.files, context) }
            // Another process may have protected the task meanwhile.
            return try context.vault.verifying(store) {
                try context.application.protectedAsItsTask(file, in: store.files)
            }
        }
        try restored.report("restored", on: context.console)
    }

    private static func restore(
        _ files: any FileStore, _ context: CommandContext
    ) throws -> StoredFile {
        let invocation = context.invocation
        let name = invocation.text(of: .file)
        let prefix = invocation.text(of: id)
        context.errors.file = name
        let all = prefix == nil && !invocation.has(newName) ? try files.list(.name) : []
        if let file = all.first(where: { $0.name.hasSameBytes(as: name) })
            ?? all.first(where: { $0.id == name })
        {
            let history = try files.history(of: file.id)
            let wanted = invocation.number(of: .earlierContent).map { UInt64($0) }
            guard let revision = wanted ?? history.first?.file.revision,
                history.contains(where: { $0.file.revision == revision })
            else {
                throw Failure(
                    .notFound, code: "no_earlier_value",
                    wanted.map { "file \(file.typed) has no earlier content with revision \($0)" }
                        ?? "file \(file.typed) has no earlier content",
                    hint: context.folders.command("file show \(file.typed)"))
            }
            return try files.restore(file.id, toRevision: revision)
        }
        let found = try files.removed().filter { earlier in
            (earlier.file.name.hasSameBytes(as: name) || earlier.file.id == name)
                && (prefix.map { earlier.file.id.hasPrefix($0) } ?? true)
        }
        guard let last = found.first, !invocation.has(.earlierContent) else {
            throw Failure(
                .notFound, "no removed file has the name \(ShellText.quote(name))",
                hint: context.folders.command("file list --removed"))
        }
        guard prefix == nil || found.count == 1 else {
            throw Failure.usage(
                "several removed files have an id that begins so",
                hint: context.folders.command("file list --removed"))
        }
        if let newName = invocation.text(of: newName) { context.errors.file = newName }
        return try files.restore(removed: last.file.id, as: invocation.text(of: newName))
    }
}
