internal import CommandLine
internal import VaultCore
internal import VaultStorage

/// `restore`: puts a backup in the place of the vault.
enum RestoreCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let backup = context.invocation.text(of: .backupSource)
        guard FileSystem.exists(backup) else {
            throw CommandFailure(.notFound, code: "no_backup", "there is no file \(backup)")
        }
        let place = VaultPlace(context)
        let vault = try context.vaultSource()
        let isReplacing = try vault.isFile ? place.isTaken : hasVault(vault, context)
        if isReplacing { try requireConsent(context) }
        let secret = try context.secretSource().vaultSecret(
            context.openingKind, of: " of the backup")
        let isNewFolder = try place.makeFolder()
        // It holds the file that is about to be replaced.
        if isReplacing { try context.lockAgent() }
        let outcome: RestoreOutcome
        do throws(VaultError) {
            outcome =
                vault.isFile
                ? try VaultFile.restore(
                    backup, to: context.folders.file, with: secret, replacing: isReplacing,
                    context.environment)
                : try restore(backup, into: vault, with: secret, replacing: isReplacing, context)
        } catch {
            if isNewFolder { place.removeFolder() }
            throw failure(error, backup, context)
        }
        context.notices.warn(
            "old_passphrases",
            "the backup's passphrase and recovery code are valid again, also where they were changed since"
        )
        try report(outcome, context)
    }

    /// Whether a database has a vault.
    private static func hasVault(
        _ vault: VaultSource, _ context: CommandContext
    ) throws(CommandFailure) -> Bool {
        do throws(StorageError) {
            try vault.open(.readOnly).close()
            return true
        } catch .notFound {
            return false
        } catch {
            throw CommandFailure(error, context.vault)
        }
    }

    /// Restores into a database; what is replaced there is kept as a backup in the vault's folder.
    private static func restore(
        _ backup: String, into vault: VaultSource, with secret: borrowing VaultSecret,
        replacing isReplacing: Bool, _ context: CommandContext
    ) throws(VaultError) -> RestoreOutcome {
        let tables: (any RecordStorage)?
        do throws(StorageError) {
            tables = try vault.openOrCreateTables()
        } catch {
            throw .storage(error)
        }
        guard let tables else { throw .storage(.notFound) }
        defer { tables.close() }
        let time = Timestamp.rfc3339(milliseconds: context.environment.now())
        return try VaultFile.restore(
            backup, into: tables, beside: context.folders.file,
            keepingOldAt: isReplacing ? context.folders.file + ".replaced-" + time : nil,
            with: secret, context.environment)
    }

    /// The old file is kept, so that asking on a terminal is enough; a script says `--replace`.
    private static func requireConsent(_ context: CommandContext) throws(CommandFailure) {
        if context.invocation.has(.replace) { return }
        guard context.canAsk else {
            throw CommandFailure(
                .alreadyExists, code: "vault_exists",
                "there is a vault at \(context.vault.path) already",
                hint: "--replace puts the backup there and keeps what was there")
        }
        let isMeant: Bool
        do throws(InputError) {
            isMeant = try context.surroundings.openTerminal().confirm(
                "Replace the vault \(context.vault.path)? What is there is kept in a file")
        } catch {
            throw CommandFailure(error, reading: "the answer")
        }
        guard isMeant else {
            throw CommandFailure(.refused, code: "declined", "nothing was changed")
        }
    }

    /// What cannot be read is the backup; what cannot be written, or is in use, is the vault's place.
    private static func failure(
        _ error: VaultError, _ backup: String, _ context: CommandContext
    ) -> CommandFailure {
        switch error {
        case .storage(.busy), .storage(.readOnly), .storage(.full), .storage(.alreadyExists):
            CommandFailure(error, context.vault)
        default:
            CommandFailure(error, VaultReference(backup: backup, context.folders))
        }
    }

    private static func report(
        _ outcome: RestoreOutcome, _ context: CommandContext
    ) throws(CommandFailure) {
        if context.isJSON {
            return try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("path", context.vault.path)
                try json.member("items", outcome.items)
                try json.member("kept_file", outcome.keptFile)
                try json.endObject()
            }
        }
        try context.printLine(
            "restored \(counted(outcome.items, "secret")) to \(context.vault.path)")
        if let kept = outcome.keptFile {
            try context.printLine("the file that was there is now \(kept)")
        }
    }
}
