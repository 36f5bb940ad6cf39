internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding
internal import VaultCore
internal import VaultStorage

/// `restore`: restores vault, tasks and settings from a backup.
enum RestoreCommand: Command {
    private static let replace = OptionDescription("replace", "replace an existing vault")
    private static let newLineage = OptionDescription(
        "new-lineage",
        "put the backup in the vault's place without the vault's own secret; other machines then refuse it until --accept-older"
    )
    private static let target = OptionDescription(
        "to", .folder("DIR"), "make an independent copy in this folder, which must be empty")

    static let description = CommandDescription(
        path: ["restore"],
        summary: "restore a backup",
        operands: [.backupSource],
        options: [replace, newLineage, target, .recovery, .key],
        exclusive: [.recovery, .key],
        notes: [
            """
            Asks for the passphrase of the backup and, if that does not open the vault, for the vault's. A vault of the same id that opens \
            keeps its passphrases, recovery code, keys and limits, and gets the items of the backup by one more change: other machines \
            follow, and say so once. Tasks and settings follow if the backup is authenticated by a machine that the vault knows.
            """,
            """
            If there is no vault of this id, the vault of the backup is put there, and begins a new lineage. It opens again with every \
            passphrase, recovery code and key of the time of the backup, also with those that were changed since. A damaged vault, and any \
            other file there, is set aside. A vault without damage \
            that is refused, because it is older than this machine's rollback record, forked or another one, is not replaced in this way \
            without --new-lineage.
            """,
            """
            Where this home syncs, the next round after a verification brings back all that the devices changed since the backup, and what \
            was removed stays removed. On a terminal it asks whether to make the backup the state of all devices instead: then each difference \
            is a new change, and what it replaces is an earlier value.
            """,
            """
            A vault is replaced only after a question, or without a terminal with --replace. What was there is kept beside it; of that, \
            the to-do list is not encrypted. If a restore is interrupted, run it again.
            """,
        ],
        examples: [
            .init("taskvault restore /media/disk/taskvault-2026-12-01", "restore"),
            .init(
                "taskvault restore --to /tmp/look taskvault-2026-12-01",
                "look at it in another folder, with --home /tmp/look"),
        ],
        exitCodes: .opening + [.alreadyExists])

    static func run(_ context: CommandContext) throws {
        try context.interruptible("interrupted; nothing was changed") { try restore(context) }
    }

    private static func restore(_ context: CommandContext) throws {
        let path = context.invocation.text(of: .backupSource)
        let backup = VaultReference(backup: path, context.folders)
        if let failure = Failure(unreadable: path, named: "the backup \(path)") {
            throw failure
        }
        guard FileSystem.exists(path) else {
            throw Failure(.notFound, code: "no_backup", "there is no file \(path)")
        }
        let locked: LockedBackup
        do {
            locked = try LockedBackup(at: path, context.vault.environment)
        } catch {
            throw context.errors.failure(error, of: backup)
        }
        let place = try self.place(context)
        let vault = try place.vault.source()
        let isReplacing = try isTaken(vault, place)
        if isReplacing { try requireConsent(place) }
        let prompts = try KeyPrompts(context.console)
        let slots = locked.slots
        var secret = try secret(slots, prompts, context.vault)
        let folder = NewVaultPlace(place.application)
        let isNewFolder = try folder.makeFolder()
        if isNewFolder { folder.removeAtInterruption() }
        do {
            let scratch = try ScratchFolder(in: place.folders.vault)
            var tries = 1
            var unopened: LockedBackup? = consume locked
            var opening: OpenedBackup?
            while opening == nil {
                do {
                    let next =
                        try unopened.take() ?? LockedBackup(at: path, context.vault.environment)
                    opening = try open(next, secret, scratch, backup, context)
                } catch let failure as Failure
                    where failure.exitCode == .wrongPassphrase && prompts.source.isPerson
                    && tries < VaultAccess.mostTries
                {
                    tries += 1
                    try prompts.source.say("\(Application.program): error: \(failure.message)")
                    secret = try self.secret(slots, prompts, context.vault)
                }
            }
            guard let opened = opening.take() else { preconditionFailure("opened above") }
            let isAdopting = try isAdopting(place)
            let kept = isAdopting ? .verified : place.application.sync.keepUnsent()
            var replaced: String?
            let restore = Restore(
                place.application, vault, of: path, isReplacing: isReplacing,
                isNewLineage: context.invocation.has(newLineage), isAdopting: isAdopting
            ) { result in
                replaced = result.vault.previousVaultPath
                try print(result, context.console)
            }
            try restore.run(opened, secret, prompts.source, scratch)
            if place.application.sync.isRejoining {
                context.console.notices.remark(
                    (isAdopting
                        ? "the next round of sync makes this the state of all devices: "
                        : "the next round of sync brings back what this and other devices changed since: ")
                        + context.folders.command("sync now")
                )
                if kept < .verified, let replaced {
                    context.console.notices.remark(
                        (kept == .list ? "secrets" : "secrets that need verification")
                            + ", if they changed here since the last round of sync, are as changed only in \(replaced): "
                            + context.folders.command(
                                "restore --to DIR \(ShellText.quote(replaced))"))
                }
            }
            // The program reports the rollback record of the owner's vault.
            if context.invocation.text(of: target) != nil { place.vault.reportRollbackRecord() }
        } catch {
            if isNewFolder { folder.removeFolder() }
            // Only the report calls `write` here. A failed report undoes nothing.
            guard let failure = error as? SystemFailure, failure.call != "write" else {
                throw error
            }
            throw VaultError.storage(DatabaseError(translating: failure))
        }
    }

    /// Asks whether the backup becomes the state of all devices. Without a person it does not.
    private static func isAdopting(_ context: CommandContext) throws -> Bool {
        guard context.application.sync.isEnabled, context.console.asks else { return false }
        return try context.console.openTerminal().confirm(
            "Make the backup the state of all devices? Otherwise what they changed since comes back"
        )
    }

    private static func print(_ result: Restore.Result, _ console: Console) throws {
        let (vault, parts) = (result.vault, result.parts)
        guard !console.isJSON else {
            return try console.printJSON { json in
                try json.beginObject()
                try json.member("path", result.path)
                try json.member("time", milliseconds: result.time)
                try json.member("authenticated", parts.isAuthenticated)
                try json.member("secrets", vault.secrets)
                try json.member("previous_vault", vault.previousVaultPath)
                try json.member("new_lineage", result.isNewLineage)
                try json.member("tasks", parts.tasks)
                try json.member("kept_tasks", parts.keptTasks)
                try json.member("unprotected_tasks", parts.unprotectedTasks)
                try json.member("settings", parts.hasSettings)
                try json.endObject()
            }
        }
        try console.printLine(
            "restored \(counted(vault.secrets, "secret")) to \(result.path) from a backup of \(Timestamp.rfc3339(milliseconds: result.time))"
        )
        if let kept = vault.previousVaultPath {
            try console.printLine("the old vault is now \(kept)")
        }
        if let tasks = parts.tasks {
            try console.printLine("restored \(counted(tasks, "task"))")
        }
        if let kept = parts.keptTasks {
            try console.printLine(
                "the old to-do list is now \(kept), not encrypted: remove it when you no longer need it"
            )
        }
        if parts.hasSettings { try console.printLine("restored the settings") }
    }

    /// Asks for the secret that opens the backup.
    private static func secret(
        _ slots: [KeySlotDescription], _ prompts: KeyPrompts, _ vault: VaultAccess
    ) throws -> VaultSecret {
        let kind = vault.options.openingKind
        if kind == .authenticator {
            return try vault.keySecret(of: slots, isBackup: true, prompts)
        }
        if kind == .passphrase, let secret = try vault.offeredKeySecret(of: slots) {
            return secret
        }
        return try prompts.source.vaultSecret(kind, of: " of the backup")
    }

    /// Opens and verifies the whole backup.
    private static func open(
        _ locked: consuming LockedBackup, _ secret: borrowing VaultSecret,
        _ scratch: borrowing ScratchFolder, _ backup: VaultReference, _ context: CommandContext
    ) throws -> OpenedBackup {
        do {
            let size = FileSystem.size(context.invocation.text(of: .backupSource)) ?? 0
            let line = SharedProgress("opening the backup", of: UInt64(size), context.console)
            let opened = try locked.open(with: secret, into: scratch.path, progress: line.add)
            try opened.verify()
            return opened
        } catch VaultError.storage(.full) {
            // The full disk is the one on which the backup is opened.
            throw VaultError.storage(.full)
        } catch {
            throw context.errors.failure(error, of: backup)
        }
    }

    /// The context of the restored vault: the owner's, or with `--to` an independent copy.
    private static func place(_ context: CommandContext) throws -> CommandContext {
        guard let folder = context.invocation.text(of: target) else { return context }
        for option in [replace, newLineage] where context.invocation.has(option) {
            throw Failure.usage(
                "\(target.spelling) never replaces anything: omit \(option.spelling)")
        }
        guard try !FileSystem.exists(folder) || FileSystem.names(in: folder).isEmpty else {
            throw Failure(
                .alreadyExists, code: "not_empty", "the folder \(folder) is not empty",
                hint: "give a folder that does not exist")
        }
        return try context.at(home: folder)
    }

    /// Whether the place already has a vault or another file, or a log without its file.
    private static func isTaken(_ vault: VaultSource, _ place: CommandContext) throws -> Bool {
        guard !vault.isFile else {
            return ([""] + VaultLocation.companionSuffixes).contains {
                FileSystem.exists(place.folders.file + $0)
            }
        }
        do {
            try vault.open(.readOnly).close()
            return true
        } catch DatabaseError.notFound {
            return false
        }
    }

    /// Requires a confirmation on a terminal, or `--replace` in a script. A confirmation suffices, because the old vault is kept.
    private static func requireConsent(_ context: CommandContext) throws {
        if context.invocation.has(replace) { return }
        guard context.console.asks else {
            throw Failure(
                .alreadyExists, code: "vault_exists",
                "a vault already exists at \(context.vault.reference.path)",
                hint: "--replace restores the backup and keeps the old file")
        }
        do {
            if try context.console.openTerminal().confirm(
                "Replace the content of \(context.vault.reference.path)? A copy is kept beside it"
            ) {
                return
            }
        } catch let error as InputError {
            throw Failure(error, reading: "the answer")
        }
        throw Failure.cancelled
    }
}

extension OperandDescription {
    static let backupSource = OperandDescription(
        "FILE", .file, "the backup, or a copy of a vault file")
}
