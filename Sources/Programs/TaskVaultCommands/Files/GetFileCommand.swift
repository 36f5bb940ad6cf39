internal import Application
internal import CommandLine
internal import Platform
internal import SecureStorage
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file get`: writes the content of a file.
enum GetFileCommand: Command {
    private static let output = OptionDescription(
        "output", .file("FILE"),
        "the new file, or a folder for it; - is standard output (./NAME if left out)")

    static let description = CommandDescription(
        path: ["file", "get"],
        summary: "write a file out of the vault",
        operands: [.file],
        options: [output, .earlierContent],
        notes: [
            """
            The new file, which only you can read, gets its name when the whole content is written and verified; nothing is ever replaced. A pipe, also by its name, \
            gets each part as soon as it is verified, so after exit code 7 what it got is a part of the content.
            """,
            """
            The content of a file that another synced machine added is fetched when it is first opened, and stays. An interrupted fetch goes on \
            where it was.
            """,
        ],
        examples: [
            .init("taskvault file get holiday.jpg", "as ./holiday.jpg"),
            .init("taskvault file get holiday.jpg --output /tmp/h.jpg", "under another name"),
            .init("taskvault file get holiday.jpg --output /tmp", "as /tmp/holiday.jpg"),
            .init("taskvault file get letters.tar --output - | tar x", "into a pipe"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    private static let hint = "file get never replaces a file: give another one by --output"

    static func run(_ context: CommandContext) throws {
        let given = context.invocation.text(of: output)
        let folder = try folder(given)
        let path = folder == nil ? given : nil
        let isPiped = ExportTarget.isOutput(path, of: context.console)
        if isPiped {
            guard !context.console.isTerminal else { throw Failure.wouldShow("standard output") }
        } else {
            try ExportTarget.requireFree(path ?? name(context, in: folder), hint: hint)
        }
        let revision = context.invocation.number(of: .earlierContent).map { UInt64($0) }
        try context.vault.withStore(.reading) { store in
            let file = try context.file(in: store.files)
            // Verification precedes the new file, because the file holds back the signals that end a prompt.
            if file.isProtected { try context.vault.requireVerified(store) }
            try context.fetch(file, revision: revision, store)
            guard !isPiped else {
                return try read(file, store, context) { bytes in
                    try Descriptor.write(bytes, to: context.console.output)
                }
            }
            let path = try path ?? Self.path(of: file, in: folder)
            do {
                let target = try OutputFile(at: path)
                guard !Descriptor.isTerminal(target.descriptor) else {
                    throw Failure.wouldShow(path)
                }
                try fill(target, file, store, context)
                try target.publish()
            } catch let failure as SystemFailure {
                throw ExportTarget.failure(failure.code, path, hint: hint)
            }
            guard context.console.isJSON else {
                return try context.console.printLine("wrote \(ShellText.quote(path))")
            }
            try context.console.printJSON { json in
                try json.file(file) { json in try json.member("path", path) }
            }
        }
    }

    private static func fill(
        _ target: borrowing OutputFile, _ file: StoredFile, _ store: OpenStore,
        _ context: CommandContext
    ) throws {
        try read(file, store, context) { bytes in
            if BlockedSignals.arePending { throw Failure(.interrupted, "interrupted") }
            try Descriptor.write(bytes, to: target.descriptor)
        }
    }

    /// The folder that the option names, with a slash at the end; the current one without the option, nil for a file.
    private static func folder(_ path: String?) throws -> String? {
        guard let path else { return "./" }
        if path.hasSuffix("/") { return path }
        guard !path.utf8.contains(0), try FileStatus.ofTarget(path: path)?.isFolder == true else {
            return nil
        }
        return path + "/"
    }

    /// The path of the file in a folder. An invalid name fails before the lookup.
    private static func name(_ context: CommandContext, in folder: String?) throws -> String {
        let name = context.invocation.text(of: .file)
        try VaultFiles.checkName(name)
        return (folder ?? "./") + name
    }

    /// The path of a file in a folder. Another program can have given it any name.
    private static func path(of file: StoredFile, in folder: String?) throws -> String {
        guard (try? VaultFiles.checkName(file.name)) != nil else {
            throw Failure(
                .usage, code: "invalid_name", "\(file.typed) cannot be the name of a file",
                hint: "give another one by --output")
        }
        return (folder ?? "./") + file.name
    }

    private static func read(
        _ file: StoredFile, _ store: OpenStore, _ context: CommandContext,
        _ body: (RawSpan) throws -> Void
    ) throws {
        var progress = TransferProgress(
            "writing \(file.name)", of: file.size,
            descriptor: context.console.surroundings.errors)
        let revision = context.invocation.number(of: .earlierContent).map { UInt64($0) }
        try store.files.read(file.id, revision: revision) { _, bytes in
            try body(bytes)
            progress.add(bytes.byteCount)
        }
    }
}

extension OptionDescription {
    static let earlierContent = OptionDescription(
        "revision", .number("N", 1...999_999_999), "an earlier content, which file show lists")
}
