internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import Tasks
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file add`: stores files.
enum AddFileCommand: Command {
    private static let paths = OperandDescription(
        "PATH", .file, "the files to store; - is standard input", count: 1...10_000)
    private static let protected = OptionDescription(
        "protected", "make the file readable only after verification")
    private static let task = OptionDescription(
        "task", .stored("ID", .task), "attach the file to a task; it is protected as the task is")
    private static let recursive = OptionDescription(
        "recursive", "add all files in the folders, without symbolic links")

    static let description = CommandDescription(
        path: ["file", "add"],
        summary: "store files or photos",
        operands: [paths],
        options: [.fileName, protected, task, recursive, .expectedSize],
        exclusive: [protected, task],
        notes: [
            """
            A file has up to 4 GiB, and its name in the vault is the last part of its path. An existing name is not replaced. The original is \
            not changed and not removed. The last 16 MiB of the disk stay free. Size, type and name of a protected file are readable without verification.
            """
        ],
        examples: [
            .init("taskvault file add holiday.jpg", "store a photo"),
            .init("taskvault file add --protected passport.pdf", "readable after verification"),
            .init("taskvault file add --recursive photos", "all files in a folder"),
            .init("taskvault file add --task k7m contract.pdf", "attach it to a task"),
            .init("tar c letters | taskvault file add - --name letters.tar", "from a pipe"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sources = try sources(context)
        guard let taskID = context.invocation.text(of: task) else {
            let isProtected = context.invocation.has(protected)
            return try context.vault.withStore(.changing) { store in
                try add(sources, isProtected, task: nil, store, context)
            }
        }
        let task = try context.tasks.withTasks(.reading) { try $0.list.find(taskID) }
        try context.vault.withStore(.changing) { store in
            try add(sources, task.isProtected, task: task.id.text, store, context)
        }
    }

    /// Stores the files one after the other. Stored files stay if a later one fails.
    private static func add(
        _ sources: [FileSource], _ isProtected: Bool, task: String?, _ store: OpenStore,
        _ context: CommandContext
    ) throws {
        if isProtected {
            try context.vault.requireVerified(store)
        } else {
            try context.vault.requireUnlocked(store)
        }
        let files = store.files
        if sources.count > 1 {
            // Names are compared by bytes, because Swift treats composed and decomposed letters as equal.
            let names = Set(try files.list(.name).map { Array($0.name.utf8) })
            if let taken = sources.first(where: { names.contains(Array($0.name.utf8)) }) {
                context.errors.file = taken.name
                throw SecureStoreError.duplicate
            }
        }
        var added: [StoredFile] = []
        do {
            for source in sources {
                context.errors.file = source.name
                var file = try source.read(context) { part in
                    try files.store(
                        .new(name: source.name, isProtected: isProtected, task: task), part)
                }
                // Another process may have protected the task meanwhile.
                file = try context.application.protectedAsItsTask(file, in: files)
                added.append(file)
                if !context.console.isJSON { try file.report("added", on: context.console) }
                if file.size == 0 {
                    context.console.notices.warn("empty_file", "\(file.typed) is empty")
                }
            }
        } catch {
            // A program needs the list of the files stored before the failure.
            if context.console.isJSON, !added.isEmpty { try? report(added, context) }
            throw error
        }
        if context.console.isJSON { try report(added, context) }
        context.application.warnOfFullDisk()
        context.application.sweep(store)
    }

    private static func report(_ files: [StoredFile], _ context: CommandContext) throws {
        try context.console.printJSON { json in try json.files(files) }
    }

    /// The files to store, all checked before the first one is stored.
    private static func sources(_ context: CommandContext) throws -> [FileSource] {
        let invocation = context.invocation
        let paths = invocation.texts(of: paths)
        let name = invocation.text(of: .fileName)
        guard !paths.contains("-") || (paths.count == 1 && name != nil) else {
            throw Failure.usage(
                paths.count == 1
                    ? "standard input has no name" : "standard input is added alone",
                hint: context.folders.command("file add - --name NAME"))
        }
        guard name == nil || (paths.count == 1 && !invocation.has(recursive)) else {
            throw Failure.usage(
                "--name is the name of one file", hint: "leave --name out, or name one file")
        }
        var sources: [FileSource] = []
        var skipped: [String] = []
        for path in paths {
            if invocation.has(recursive), try FileSource.status(path)?.isFolder == true {
                try collect(path, &sources, &skipped, context)
            } else {
                sources.append(try FileSource(path, name: name, context))
            }
        }
        try requireDifferentNames(sources)
        if !skipped.isEmpty {
            let shown = skipped.prefix(3).map(ShellText.quote).joined(separator: ", ")
            context.console.notices.warn(
                "not_files",
                "left out what is no file: \(shown)" + (skipped.count > 3 ? " and more" : ""))
        }
        return sources
    }

    /// Collects the files in a folder and its subfolders.
    private static func collect(
        _ folder: String, _ sources: inout [FileSource], _ skipped: inout [String],
        _ context: CommandContext
    ) throws {
        let names: [String]
        do {
            names = try FileSystem.names(in: folder)
        } catch let failure as SystemFailure {
            throw FileSource.failure(SystemFailure("open", code: failure.code), folder)
        }
        for name in names {
            let path = (folder.hasSuffix("/") ? folder : folder + "/") + name
            guard let status = try FileSource.status(path) else {
                // The listing replaces invalid bytes of a name by U+FFFD.
                guard name.unicodeScalars.contains("\u{FFFD}") else { continue }
                throw Failure.usage(
                    "a name in \(folder) is not valid UTF-8: \(name)", hint: "rename the file")
            }
            if status.isFolder {
                try collect(path, &sources, &skipped, context)
            } else if status.isRegularFile {
                sources.append(try FileSource(path, name: nil, context))
            } else {
                skipped.append(path)
            }
        }
    }

    private static func requireDifferentNames(_ sources: [FileSource]) throws {
        var paths: [[UInt8]: String] = [:]
        for source in sources {
            guard let other = paths.updateValue(source.path, forKey: Array(source.name.utf8))
            else { continue }
            throw Failure(
                .alreadyExists, code: "same_name",
                "\(other) and \(source.path) have the same name; nothing was stored",
                hint: "add one of them with --name")
        }
    }
}

extension OptionDescription {
    static let fileName = OptionDescription("name", .text("NAME"), "the name in the vault")
    /// The required size of standard input, from the local app.
    static let expectedSize = OptionDescription(
        "size", .number("BYTES", 0...4_294_967_296), "the size of standard input", isHidden: true)
}
