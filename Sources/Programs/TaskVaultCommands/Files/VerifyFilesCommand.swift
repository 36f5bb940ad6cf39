internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `file verify`: reads whole files and checks them.
enum VerifyFilesCommand: Command {
    private static let names = OperandDescription(
        "NAME", .stored(.file), "the files; all of them if left out", count: 0...1_000)

    static let description = CommandDescription(
        path: ["file", "verify"],
        summary: "read files and check that they are whole",
        operands: [names],
        notes: [
            "Protected files need verification. The check writes nothing; exit code 7 means that a file is damaged.",
            "Files whose content is not on this machine, because another synced machine added them, are left out.",
        ],
        examples: [
            .init("taskvault file verify", "all files"),
            .init("taskvault file verify holiday.jpg", "one file"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let names = context.invocation.texts(of: names)
        let (checked, left) = try context.vault.withStore(.reading) { store in
            let all =
                try names.isEmpty
                ? store.files.list(.name)
                : names.map { try context.application.file(named: $0, in: store.files) }
            let elsewhere = try context.application.sync.filesElsewhere(store)
            let files = all.filter { !elsewhere.contains($0.id) }
            var found: Failure?
            for file in files {
                context.errors.file = file.name
                var progress = TransferProgress(
                    "checking \(file.name)", of: file.size,
                    descriptor: context.console.surroundings.errors)
                do {
                    _ = try context.vault.verifying(store) {
                        try store.files.read(file.id, revision: nil) { _, bytes in
                            progress.add(bytes.byteCount)
                        }
                    }
                } catch {
                    // The remaining files are checked as well, and each damaged one is named.
                    let failure = context.errors.failure(error)
                    guard failure.exitCode == .damaged else { throw error }
                    if let found { context.console.notices.warn("damaged_file", found.message) }
                    found = failure
                }
            }
            if let found { throw found }
            return (files, all.count - files.count)
        }
        guard context.console.isJSON else {
            try context.console.printLine("\(counted(checked.count, "file")) checked: whole")
            if left > 0 {
                context.console.notices.remark(
                    "\(counted(left, "file")) left out: not on this machine")
            }
            return
        }
        try context.console.printJSON { json in try json.files(checked) }
    }
}
