internal import CommandLine
internal import VaultCore
internal import VaultStorage

/// `backup`: writes a copy of the vault, without its passphrase.
enum BackupCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let target = context.invocation.text(of: .backupTarget)
        try context.withStorage(.reading) { (storage) throws(CommandFailure) in
            // A copy that no key can ever open would be a false comfort.
            _ = try context.lockedVault(storage)
            do throws(StorageError) {
                try storage.backup(to: target)
            } catch {
                throw failure(error, target, context)
            }
        }
        guard context.isJSON else { return try context.printLine("wrote the backup \(target)") }
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("path", target)
            try json.endObject()
        }
    }

    private static func failure(
        _ error: StorageError, _ target: String, _ context: CommandContext
    ) -> CommandFailure {
        switch error {
        case .alreadyExists:
            CommandFailure(
                .alreadyExists, "there is a file \(target) already",
                hint: "a backup never overwrites anything: give another name")
        case .notFound:
            CommandFailure(.notFound, code: "no_folder", "there is no folder for \(target)")
        case .readOnly:
            CommandFailure(.failure, code: "read_only", "\(target) cannot be written")
        default:
            CommandFailure(error, context.vault)
        }
    }
}
