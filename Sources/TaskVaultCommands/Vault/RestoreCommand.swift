internal import CommandLine
internal import VaultCore
internal import VaultStorage
internal import Platform

/// `restore`: puts a backup in the place of the vault.
enum RestoreCommand: Command {
    private static let replace = OptionDescription("replace", "replace an existing vault")

    static let description = CommandDescription(
        path: ["restore"],
        summary: "restore a backup",
        operands: [.backupSource],
        options: [replace, .recovery],
        notes: [
            """
            Asks for the passphrase of the backup. An existing vault is replaced only after a question, or without a terminal with \
            --replace; its file is kept beside the new one. The backup's passphrase is valid again, also if it was changed since.
            """
        ],
        examples: [
            .init("taskvault restore /media/disk/vault-2026-12-01.db", "restore"),
            .init(
                "taskvault restore --home /tmp/look vault-2026-12-01.db",
                "restore it to another folder"),
        ],
        exitCodes: .opening + [.alreadyExists])

    static func run(_ context: CommandContext) throws {
        let backup = context.invocation.text(of: .backupSource)
        if let failure = CommandFailure(unreadable: backup, named: "the backup \(backup)") {
            throw failure
        }
        guard FileSystem.exists(backup) else {
            throw CommandFailure(.notFound, code: "no_backup", "there is no file \(backup)")
        }
        do {
            try StagedVaultFile.requireVault(at: backup)
        } catch {
            throw context.about.failure(
                error, of: VaultReference(backup: backup, context.folders))
        }
        let place = VaultPlace(context)
        let vault = try context.vault.source()
        let isReplacing = try vault.isFile ? place.isTaken : hasVault(vault)
        if isReplacing { try requireConsent(context) }
        let secret = try context.console.secretSource().vaultSecret(
            context.vault.openingKind, of: " of the backup")
        let isNewFolder = try place.makeFolder()
        // It holds the file that is about to be replaced.
        if isReplacing { try context.vault.lockAgent() }
        let outcome: RestoreOutcome
        do {
            outcome =
                vault.isFile
                ? try VaultFile.restore(
                    backup, to: context.folders.file, with: secret, replacing: isReplacing,
                    context.vault.environment)
                : try restore(backup, into: vault, with: secret, replacing: isReplacing, context)
        } catch {
            if isNewFolder { place.removeFolder() }
            switch error {
            case is DatabaseError: throw error
            // It is the vault's place that cannot be written or is in use; everything else is about the backup.
            case VaultError.storage(.busy), VaultError.storage(.readOnly),
                VaultError.storage(.full),
                VaultError.storage(.alreadyExists):
                throw error
            default:
                throw context.about.failure(
                    error, of: VaultReference(backup: backup, context.folders))
            }
        }
        context.console.notices.warn(
            "old_passphrases",
            "the backup's passphrase and recovery code are valid again, even if they were changed since"
        )
        try report(outcome, context)
    }

    /// Whether a database has a vault.
    private static func hasVault(_ vault: VaultSource) throws -> Bool {
        do {
            try vault.open(.readOnly).close()
            return true
        } catch DatabaseError.notFound {
            return false
        }
    }

    /// Restores into a database; the replaced vault is kept as a backup in the vault's folder.
    private static func restore(
        _ backup: String, into vault: VaultSource, with secret: borrowing VaultSecret,
        replacing isReplacing: Bool, _ context: CommandContext
    ) throws -> RestoreOutcome {
        guard let tables = try vault.openOrCreateTables() else {
            throw VaultError.storage(.notFound)
        }
        defer { tables.close() }
        let time = Timestamp.rfc3339(milliseconds: context.vault.environment.now())
        return try VaultFile.restore(
            backup, into: tables, beside: context.folders.file,
            keepingOldAt: isReplacing ? context.folders.file + ".replaced-" + time : nil,
            with: secret, context.vault.environment)
    }

    /// The old file is kept, so that asking on a terminal is enough; a script says `--replace`.
    private static func requireConsent(_ context: CommandContext) throws {
        if context.invocation.has(replace) { return }
        guard context.console.canAsk else {
            throw CommandFailure(
                .alreadyExists, code: "vault_exists",
                "a vault already exists at \(context.vault.reference.path)",
                hint: "--replace restores the backup and keeps the old file")
        }
        do {
            if try context.console.surroundings.openTerminal().confirm(
                "Replace the vault \(context.vault.reference.path)? The old one is kept in a file"
            ) {
                return
            }
        } catch let error as InputError {
            throw CommandFailure(error, reading: "the answer")
        }
        throw CommandFailure.cancelled
    }

    private static func report(
        _ outcome: RestoreOutcome, _ context: CommandContext
    ) throws {
        if context.console.isJSON {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("path", context.vault.reference.path)
                try json.member("items", outcome.items)
                try json.member("kept_file", outcome.keptFile)
                try json.endObject()
            }
        }
        try context.console.printLine(
            "restored \(counted(outcome.items, "secret")) to \(context.vault.reference.path)")
        if let kept = outcome.keptFile {
            try context.console.printLine("the old file is now \(kept)")
        }
    }
}

extension OperandDescription {
    /// Where a backup is.
    static let backupSource = OperandDescription("FILE", .file, "the backup")
}
