internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file rename`: renames a file.
enum RenameFileCommand: Command {
    private static let newName = OperandDescription("NEW", "the new name")

    static let description = CommandDescription(
        path: ["file", "rename"],
        summary: "give a file another name",
        operands: [.file, newName],
        examples: [.init("taskvault file rename IMG_2.jpg sunset.jpg", "the content stays")],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.vault.withStore(.changing) { store in
            let file = try context.file(in: store.files)
            let name = context.invocation.text(of: newName)
            context.errors.file = name
            let renamed = try context.vault.verifying(store) {
                try store.files.edit(file.id, FileEdit(name: name))
            }
            try renamed.report("renamed \(file.typed) to", on: context.console)
        }
    }
}

/// `file replace`: replaces the content of a file.
enum ReplaceFileCommand: Command {
    private static let path = OperandDescription(
        "PATH", .file, "the new content; - is standard input")

    static let description = CommandDescription(
        path: ["file", "replace"],
        summary: "give a file another content",
        operands: [.file, path],
        options: [.yes, .expectedSize],
        notes: [
            """
            The last three contents are kept, up to 1 GiB; file show lists them. It asks before it replaces a content that is larger. Name, \
            protection and task stay.
            """
        ],
        examples: [.init("taskvault file replace budget.ods new.ods", "the old content is kept")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let source = try FileSource(
            context.invocation.text(of: path), name: context.invocation.text(of: .file),
            isNew: false, context)
        try context.vault.withStore(.changing) { store in
            let file = try context.file(in: store.files)
            if file.isProtected { try context.vault.requireVerified(store) }
            if file.size > VaultFiles.earlierSize {
                let size = byteText(VaultFiles.earlierSize)
                try context.console.requireConsent(to: "replace \(file.typed)") { prompt in
                    try prompt.confirm(
                        "The present content is larger than \(size) and is not kept. Replace it?")
                }
            }
            let replaced = try source.read(context) { part in
                try store.files.store(.replacing(id: file.id), part)
            }
            try replaced.report("replaced", on: context.console)
            context.application.warnOfFullDisk()
            context.application.sweep(store)
        }
    }
}

/// `file attach`: attaches a file to a task.
enum AttachFileCommand: Command {
    static let description = CommandDescription(
        path: ["file", "attach"],
        summary: "make a file belong to a task",
        operands: [.file, .task],
        notes: [
            "The file is protected if the task is, and is removed with it. A file belongs to one task at most."
        ],
        examples: [.init("taskvault file attach contract.pdf k7m", "task show lists it")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let task = try context.tasks.withTasks(.reading) { try context.task(in: $0) }
        try context.vault.withStore(.changing) { store in
            let file = try context.file(in: store.files)
            var edit = FileEdit(task: task.id.text)
            if task.isProtected { edit.isProtected = true }
            let attached = try context.vault.verifying(store) {
                try context.application.protectedAsItsTask(
                    store.files.edit(file.id, edit), in: store.files)
            }
            try attached.report("attached", on: context.console)
        }
    }
}

/// `file detach`: detaches a file from its task.
enum DetachFileCommand: Command {
    static let description = CommandDescription(
        path: ["file", "detach"],
        summary: "make a file belong to no task",
        operands: [.file],
        notes: [
            "The file stays protected if it is. A done task that clears itself leaves its files."
        ],
        examples: [.init("taskvault file detach contract.pdf", "the file stays")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.vault.withStore(.changing) { store in
            let file = try context.file(in: store.files)
            let detached = try context.vault.verifying(store) {
                try store.files.edit(file.id, FileEdit(task: .some(nil)))
            }
            try detached.report("detached", on: context.console)
        }
    }
}

/// `file protect`: makes a file readable only after verification.
enum ProtectFileCommand: Command {
    static let description = CommandDescription(
        path: ["file", "protect"],
        summary: "make a file readable only after verification",
        operands: [.file],
        examples: [.init("taskvault file protect passport.pdf", "requires verification")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.changeProtection(to: true, "protected")
    }
}

/// `file unprotect`: makes a file readable while the vault is unlocked.
enum UnprotectFileCommand: Command {
    static let description = CommandDescription(
        path: ["file", "unprotect"],
        summary: "make a file readable while the vault is unlocked",
        operands: [.file],
        examples: [.init("taskvault file unprotect passport.pdf", "requires verification")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.changeProtection(to: false, "no longer protected:")
    }
}

extension CommandContext {
    fileprivate func changeProtection(to isProtected: Bool, _ done: String) throws {
        try vault.withStore(.changing) { store in
            let file = try file(in: store.files)
            if !isProtected, let task = file.task, application.isTaskProtected(of: file) {
                throw Failure(
                    .refused, code: "task_protected",
                    "file \(file.typed) belongs to task \(task), which is protected",
                    hint: folders.command("task unprotect \(task)"))
            }
            let changed = try vault.verifying(store) {
                try store.files.edit(file.id, FileEdit(isProtected: isProtected))
            }
            try changed.report(done, on: console)
        }
    }
}
