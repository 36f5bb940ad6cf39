package import Platform
internal import SecureStorage
internal import TextCoding
package import VaultCore
internal import VaultStorage

/// A restore of an opened backup.
///
/// All parts are checked first. Vault, tasks and settings follow in this order, each in one atomic
/// step.
/// Until the tasks follow, the restored vault keeps the text of listed tasks.
/// An interrupted restore therefore leaves a list and a vault that match.
package struct Restore {
    private let application: Application
    private let place: VaultSource
    private let backupPath: String
    private let isReplacing: Bool
    private let isNewLineage: Bool
    private let isAdopting: Bool
    private let whenDone: (Result) throws -> Void

    /// The restored vault, tasks and settings.
    package struct Result {
        /// The path of the vault, or the address of its database.
        package let path: String
        /// The time of the backup, in milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// The vault.
        package let vault: RestoreOutcome
        /// Tasks and settings.
        package let parts: RestoredParts.Outcome
        /// Whether the vault has a new lineage.
        package let isNewLineage: Bool
    }

    /// Describes a restore.
    ///
    /// - Parameters:
    ///   - application: The operations on the folder that receives the vault.
    ///   - place: The place of the vault.
    ///   - backupPath: The file of the backup, for messages.
    ///   - isReplacing: Whether the place has a vault, or another file.
    ///   - isNewLineage: Whether to replace that vault without opening it.
    ///   - isAdopting: Where this home syncs, whether the backup becomes the state of all devices.
    ///   - whenDone: Receives the result before signals may end the program.
    package init(
        _ application: Application, _ place: VaultSource, of backupPath: String,
        isReplacing: Bool, isNewLineage: Bool, isAdopting: Bool,
        whenDone: @escaping (Result) throws -> Void
    ) {
        self.backupPath = backupPath
        self.whenDone = whenDone
        self.application = application
        self.place = place
        self.isReplacing = isReplacing
        self.isNewLineage = isNewLineage
        self.isAdopting = isAdopting
    }

    /// Restores all parts that can be restored, and reports them.
    package func run(
        _ backup: borrowing OpenedBackup, _ secret: borrowing VaultSecret,
        _ source: any SecretSource, _ scratch: borrowing ScratchFolder
    ) throws {
        var current = Current()
        defer { current.storage?.close() }
        if let vault = try open(&current, backup, secret, source) {
            let isDone = try replaceRows(of: vault, by: backup, &current, scratch)
            if isDone { return }
        }
        try install(backup, current, scratch)
    }

    /// Restores over a vault that can be opened.
    ///
    /// - Returns: `false` if the vault opens but contains no trustworthy data.
    private func replaceRows(
        of vault: consuming AuthenticatedVault, by backup: borrowing OpenedBackup,
        _ current: inout Current, _ scratch: borrowing ScratchFolder
    ) throws -> Bool {
        let parts = try RestoredParts(
            backup, backup.authenticatedParts(knownTo: vault), scratch, backupPath, application)
        try scratch.requireNoSignal()
        try beginChange()
        let outcome: RestoreOutcome
        do {
            outcome = try VaultFile.restore(
                backup, over: vault, keepingOldBesides: application.folders.file)
        } catch {
            application.sync.cancelRejoining()
            // The backup was verified before: what is damaged is the vault in its place.
            guard let reason = damage(error) else { throw failure(error) }
            current.reason = reason
            current.storage?.close()
            return false
        }
        if let error = outcome.rollbackRecordFailure { throw unfinished(error, outcome) }
        let unlocked = vault.unlock()
        defer { unlocked.lock() }
        let followers = try replace(parts, after: outcome) { try unlocked.list() }
        // The vault may have kept content that the backup lacks.
        let incomplete = (try? VaultFiles(unlocked).incomplete()) ?? []
        try report(backup, outcome, followers, current, incomplete)
        return true
    }

    /// Puts the vault of the backup in the place, in a new lineage.
    private func install(
        _ backup: borrowing OpenedBackup, _ current: Current, _ scratch: borrowing ScratchFolder
    ) throws {
        let parts = try RestoredParts(
            backup, backup.authenticatedParts(), scratch, backupPath, application)
        let incomplete = try backup.incompleteFiles()
        try scratch.requireNoSignal()
        try beginChange()
        // The agent holds the vault that this step replaces.
        if isReplacing { try application.vault.lockAgent() }
        let outcome: RestoreOutcome
        if place.isFile {
            outcome = try VaultFile.install(
                backup, at: application.folders.file, replacing: isReplacing,
                application.vault.environment)
        } else {
            guard let tables = try place.openOrCreateTables() else {
                throw VaultError.storage(.notFound)
            }
            defer { tables.close() }
            outcome = try VaultFile.install(
                backup, into: tables,
                keepingOldBesides: isReplacing ? application.folders.file : nil,
                application.vault.environment)
        }
        let followers = try replace(parts, after: outcome) { [] }
        try report(backup, outcome, followers, current, incomplete)
    }

    /// Begins the steps that must match.
    private func beginChange() throws {
        try application.sync.beginRejoining(adopting: isAdopting)
        InterruptibleWork.beginChange(
            saying: "interrupted; completing the restore of vault, tasks and settings")
    }

    /// Replaces tasks and settings after the vault, and reports a failure of this step.
    private func replace(
        _ parts: RestoredParts, after outcome: RestoreOutcome,
        _ items: () throws -> [SecretItem]
    ) throws -> RestoredParts.Outcome {
        do {
            return try parts.replace(items)
        } catch {
            throw unfinished(error, outcome)
        }
    }

    /// The known facts about the vault in the place.
    private struct Current {
        package var storage: (any RecordStorage)?
        /// The reason why the backup cannot be restored over it; nil without a vault, or if it can
        /// be.
        package var reason: String?
        /// The slots, if it is the backup's vault.
        package var slots: [KeySlotDescription] = []
    }

    /// The vault in the place, if it is the backup's and opens.
    private func open(
        _ current: inout Current, _ backup: borrowing OpenedBackup,
        _ secret: borrowing VaultSecret, _ source: any SecretSource
    ) throws -> AuthenticatedVault? {
        guard isReplacing else { return nil }
        do {
            let storage = try place.open(.readWrite)
            current.storage = storage
            let locked = try application.vault.locked(storage)
            guard locked.id == backup.vaultID else {
                current.reason = "it is another vault"
                storage.close()
                return nil
            }
            current.slots = locked.slots
            if isNewLineage {
                current.reason = "a new lineage was asked for"
                storage.close()
                return nil
            }
            return try authenticate(locked, storage, secret, source)
        } catch {
            current.storage?.close()
            guard let reason = reason(error) else { throw failure(error) }
            current.reason = reason
            return nil
        }
    }

    /// Opens the vault with the secret of the backup, or asks for its own.
    private func authenticate(
        _ locked: consuming LockedVault, _ storage: any RecordStorage,
        _ secret: borrowing VaultSecret, _ source: any SecretSource
    ) throws -> AuthenticatedVault {
        do {
            return try authenticate(locked, storage, with: secret)
        } catch {
            guard let error = error as? VaultError, error.isWrongSecret else { throw error }
        }
        var tries = 1
        while true {
            do {
                return try authenticate(
                    application.vault.locked(storage), storage,
                    with: source.vaultSecret(.passphrase, of: " of the vault"))
            } catch VaultError.wrongPassphrase
                where source.isPerson && tries < VaultAccess.mostTries
            {
                tries += 1
                try source.say("\(Application.program): error: wrong passphrase of the vault")
            }
        }
    }

    /// Opens the vault with a secret.
    ///
    /// - Throws: For a refused vault that is damaged, too, its damage: accepting it is no way out.
    private func authenticate(
        _ locked: consuming LockedVault, _ storage: any RecordStorage,
        with secret: borrowing VaultSecret
    ) throws -> AuthenticatedVault {
        let failure: VaultError
        do {
            return try locked.authenticate(with: secret)
        } catch {
            failure = error
        }
        if Self.isRefusal(failure) { try requireSound(storage, secret) }
        throw failure
    }

    /// Checks a vault without this machine's rollback record, which stays.
    private func requireSound(
        _ storage: any RecordStorage, _ secret: borrowing VaultSecret
    ) throws {
        let environment = VaultEnvironment(rollbackRecords: MemoryRollbackRecords())
        let vault = try LockedVault(storage, environment).unlock(with: secret)
        defer { vault.lock() }
        let found = try vault.check().problems.map(\.failure)
        if let damage = found.first(where: { !$0.isFreshnessFailure && !$0.isOfFiles }) {
            throw VaultError.damaged(damage)
        }
    }

    /// Whether a vault is refused by the rollback record, so that its owner has to decide.
    private static func isRefusal(_ error: VaultError) -> Bool {
        switch error {
        case .rolledBack, .forked, .otherVault: true
        case .damaged(let damage): damage.isFreshnessFailure
        default: false
        }
    }

    /// The reason why a vault does not open: a file that cannot be used, whatever it is. nil for
    /// other errors, such as a refusal by the rollback record.
    private func reason(_ error: any Error) -> String? {
        switch error {
        case DatabaseError.notFound: "a log lies there without its file"
        case let error as DatabaseError, VaultError.storage(let error):
            error.fault(ofFile: application.folders.file)
        default: damage(error)
        }
    }

    /// The damage of an open vault; nil for other errors.
    private func damage(_ error: any Error) -> String? {
        switch error {
        case VaultError.damaged(let damage) where !damage.isFreshnessFailure: damage.explanation
        case VaultError.storage(.damaged(let reason)), VaultError.storage(.foreign(let reason)):
            reason
        default: nil
        }
    }

    private func failure(_ error: any Error) -> any Error {
        switch error {
        case VaultError.wrongPassphrase:
            return Failure(
                .wrongPassphrase, "wrong passphrase of the vault",
                hint: "if you forgot it: restore --new-lineage needs only that of the backup")
        case VaultError.rolledBack, VaultError.forked: return refused(error, "--accept-older")
        case VaultError.otherVault: return refused(error, "--accept-other")
        case VaultError.damaged(let damage) where damage.isFreshnessFailure:
            return refused(error, "--accept-older")
        default: return error
        }
    }

    /// The refusal of a vault that opens but is not the one that this machine saw last.
    /// A silent new lineage would make its old passphrases valid again.
    private func refused(_ error: any Error, _ option: String) -> Failure {
        let found = application.errors.failure(error)
        let backup = ShellText.quote(backupPath)
        return Failure(
            found.exitCode, code: found.code, found.message,
            hint: application.folders.command("unlock \(option)")
                + " accepts the vault that is there; "
                + application.folders.command("restore --replace --new-lineage \(backup)")
                + " replaces it, and the passphrases of the backup's time open it again")
    }

    /// The failure after a stored restore that this machine could not record.
    private func unfinished(_ error: any Error, _ outcome: RestoreOutcome) -> Failure {
        let found = application.errors.failure(error)
        let kept = outcome.previousVaultPath.map { "the old vault is now \($0)" }
        let hints = [kept, found.hint, "then restore again"].compactMap(\.self)
        return Failure(
            found.exitCode, code: found.code,
            "the vault was restored; its tasks and settings may still be the old ones: "
                + found.message.substituting("; nothing was changed", for: ""),
            hint: hints.joined(separator: "; "))
    }
}

// Notices for the owner.
extension Restore {
    private func report(
        _ backup: borrowing OpenedBackup, _ outcome: RestoreOutcome,
        _ parts: RestoredParts.Outcome, _ current: Current, _ incompleteFiles: [String]
    ) throws {
        let isSameLineage = isReplacing && current.reason == nil
        let owner = application.owner
        if let reason = current.reason, isReplacing, !isNewLineage {
            owner.warn(
                "vault_not_opened",
                "the vault did not open (\(reason)): the backup's vault took its place, in a new lineage"
            )
        }
        let returned = backup.slots.filter { slot in
            !isSameLineage && !current.slots.contains { $0.id == slot.id }
        }
        if !returned.isEmpty, isReplacing {
            owner.warn(
                "old_passphrases",
                "valid again, even if changed since: \(Self.title(returned))")
        }
        if !parts.isAuthenticated {
            owner.warn("backup_not_authenticated", Self.doubt(about: backup))
        }
        if parts.unprotectedTasks > 0 {
            owner.warn(
                "tasks_unprotected",
                "plain text again, as in the backup: \(counted(parts.unprotectedTasks, "task")) that you protected since"
            )
        }
        if !incompleteFiles.isEmpty {
            owner.warn(
                "files_incomplete",
                "the backup lacks parts of the content of "
                    + incompleteFiles.joined(separator: ", ")
                    + (application.sync.isEnabled ? ": file get fetches them" : ""))
        }
        try whenDone(
            Result(
                path: application.vault.reference.path, time: backup.time, vault: outcome,
                parts: parts, isNewLineage: !isSameLineage))
    }

    /// The warning about a backup without a valid MAC.
    private static func doubt(about backup: borrowing OpenedBackup) -> String {
        if backup.isVaultFile {
            return "a copy of a vault file is not authenticated: nothing proves how old it is, "
                + "and the date is that of the file's last change"
        }
        let reason = "it is not authenticated by a machine that the vault knows"
        return backup.hasAuthenticatedParts
            ? "tasks and settings of the backup were left out, and nothing proves its date: \(reason)"
            : "nothing proves date and age of the backup: \(reason)"
    }

    private static func title(_ slots: [KeySlotDescription]) -> String {
        slots.map { slot in
            let id = Hexadecimal.text(Array(slot.id.prefix(4)))
            return switch slot.kind {
            case .passphrase: "the passphrase of slot \(id)"
            case .recoveryCode: "the recovery code of slot \(id)"
            case .authenticator: "the security key or passkey of slot \(id)"
            }
        }.joined(separator: ", ")
    }
}
