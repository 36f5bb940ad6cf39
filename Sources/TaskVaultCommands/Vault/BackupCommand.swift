internal import CommandLine
internal import VaultCore
internal import VaultStorage

/// `backup`: writes a copy of the vault, without its passphrase.
enum BackupCommand: Command {
    static let description = CommandDescription(
        path: ["backup"],
        summary: "write a copy of the vault",
        operands: [.backupTarget],
        notes: [
            """
            Needs no passphrase, and other commands may use the vault meanwhile. The copy is encrypted as the vault is, and opens with \
            its current passphrase.
            """
        ],
        examples: [
            .init("taskvault backup /media/disk/vault-2026-12-01.db", "a dated copy")
        ],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable])

    static func run(_ context: CommandContext) throws {
        let target = context.invocation.text(of: .backupTarget)
        try context.vault.withStorage(.reading) { storage in
            // A copy that no key can ever open would be a false comfort.
            _ = try context.vault.locked(storage)
            do {
                try storage.backup(to: target)
            } catch StorageError.alreadyExists {
                throw CommandFailure(
                    .alreadyExists, "\(target) already exists",
                    hint: "a backup never replaces a file: give another name")
            } catch StorageError.notFound {
                throw CommandFailure(
                    .notFound, code: "no_folder", "there is no folder for \(target)")
            } catch StorageError.readOnly {
                throw CommandFailure(.failure, code: "read_only", "\(target) cannot be written")
            }
        }
        guard context.console.isJSON else {
            return try context.console.printLine("wrote the backup \(target)")
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("path", target)
            try json.endObject()
        }
    }
}

extension OperandDescription {
    /// Where a backup goes.
    static let backupTarget = OperandDescription(
        "FILE", .file, "the file to create; it must not exist")
}
