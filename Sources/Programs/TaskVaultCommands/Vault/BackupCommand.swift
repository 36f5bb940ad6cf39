internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// `backup`: writes a copy of vault, tasks and settings. It needs no passphrase.
enum BackupCommand: Command {
    static let description = CommandDescription(
        path: ["backup"],
        summary: "write a copy of vault, tasks and settings",
        operands: [.backupTarget],
        notes: [
            """
            Needs no passphrase, except the first time on a machine, and other commands may use the vault meanwhile. A vault that does not verify is refused: all of it is \
            verified if it is unlocked, else only the form of its file. The file is encrypted and opens with any passphrase, \
            recovery code or security key that opens the vault now. It holds the tasks also if they are on a server, and the settings without addresses.
            """,
            """
            A backup is authenticated with a key of this machine. With the first backup of tasks or settings the vault gets it, so that one needs \
            an unlocked vault or the passphrase. Without both it fails.
            """,
            "A pipe or device is written; /dev/stdout writes the backup into a pipe.",
        ],
        examples: [
            .init("taskvault backup /media/disk/taskvault-2026-12-01", "a dated copy")
        ],
        exitCodes: .opening + [.alreadyExists])

    static func run(_ context: CommandContext) throws {
        try context.interruptible("interrupted; no backup was written") { try write(context) }
    }

    private static func write(_ context: CommandContext) throws {
        let target = context.invocation.text(of: .backupTarget)
        let isPiped = OutputFile.descriptor(named: target) == context.console.output
        if isPiped, context.console.isTerminal { throw Failure.wouldShow("standard output") }
        let backup = try Backup(context.application, to: target) { total in
            SharedProgress("writing the backup", of: total, context.console).add
        }.run()
        if isPiped { return }
        guard context.console.isJSON else {
            try context.console.printLine("wrote the backup \(target): \(backup.title)")
            guard !backup.isVerified else { return }
            return try context.console.printLine(
                "not verified, because the vault is locked: the secrets; SQLite finds the file well-formed"
            )
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("path", target)
            try json.member("tasks", backup.tasks)
            try json.member("settings", backup.hasSettings)
            try json.member("authenticated", backup.isAuthenticated)
            try json.member("verified", backup.isVerified)
            try json.endObject()
        }
    }
}

extension OperandDescription {
    static let backupTarget = OperandDescription(
        "FILE", .file, "the file to create; it must not exist")
}
