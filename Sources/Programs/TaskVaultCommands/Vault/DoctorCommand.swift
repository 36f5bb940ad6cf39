internal import Application
internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultAgent
internal import VaultCore
internal import VaultStorage

/// `doctor`: checks every secret and the whole vault, and with `--repair` keeps the items that can be decrypted.
enum DoctorCommand: Command {
    static let description = CommandDescription(
        path: ["doctor"],
        summary: "check every secret and the whole vault",
        options: [.repair, .yes, .recovery],
        notes: [
            """
            Decrypts and checks every item, the checksums over all of them, the keys and the file's settings. Reports each problem, its \
            item and its remedy. Otherwise shows a line for each part, and the next step. Also checks the form of the to-do list's file, and that it has the changes which this machine saw. Changes nothing without --repair.
            """,
            """
            A repair keeps the items that can be decrypted and removes the rest. It cannot detect items that were removed or put back \
            before, so restoring a backup is better. The damaged file is kept beside the vault.
            """,
        ],
        examples: [
            .init("taskvault doctor", "check everything"),
            .init("taskvault doctor --json", "for a monitoring script"),
            .init("taskvault doctor --repair", "repair it"),
        ],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        // Said first, because a list needs no vault.
        context.application.warnOfSilentReminders()
        // The files are checked first, because opening the vault removes a leftover log.
        var diagnosis = Diagnosis()
        diagnosis.noteFiles(of: context.application)
        diagnosis.noteTasks(of: context.application)
        diagnosis.noteSync(of: context.application)
        let isRepairing = context.invocation.has(.repair)
        try context.vault.withStorage(isRepairing ? .changing : .reading) { storage in
            let locked = try context.vault.locked(storage)
            diagnosis.noteMachine(locked.id, locked.slots, context.application)
            let secret = try context.vault.withSecret(context.application.options.openingKind) {
                secret in
                try context.vault.lockAgentIfVaultIsConfirmed()
                try examine(
                    try context.vault.locked(storage), with: secret, &diagnosis, context)
                return secret
            }
            if isRepairing, diagnosis.canBeRepaired {
                try repair(storage, with: secret, &diagnosis, context)
            }
        }
        try DiagnosisReport(diagnosis, context).print()
    }

    /// Unlocks the vault and reads all items. The diagnosis gets the problems.
    private static func examine(
        _ locked: consuming LockedVault, with secret: borrowing VaultSecret,
        _ diagnosis: inout Diagnosis, _ context: CommandContext
    ) throws {
        diagnosis.problems = []
        diagnosis.isRefused = true
        do {
            let authenticated = try locked.authenticate(with: secret)
            diagnosis.isRefused = false
            diagnosis.finger = finger(authenticated.settings, context)
            let total = authenticated.itemCount
            let vault = authenticated.unlock()
            defer { vault.lock() }
            var line = ProgressLine("checking", descriptor: context.console.surroundings.errors)
            let report = try vault.check { line.update(done: $0, of: total) }
            let elsewhere = try context.application.sync.filesElsewhere(
                OpenStore(secrets: vault, agent: nil))
            diagnosis.add(report, items: try? vault.list(), filesElsewhere: elsewhere)
            line.finish()
        } catch VaultError.damaged(let failure) {
            diagnosis.problems.append(Problem(failure))
        } catch VaultError.rolledBack {
            diagnosis.problems.append(Problem(.rolledBack))
        } catch VaultError.forked {
            diagnosis.problems.append(Problem(.forked))
        } catch VaultError.otherVault {
            diagnosis.problems.append(Problem(.otherVault))
        }
    }

    /// The state of fingerprint verification: from the agent for its session, or else from the setting.
    private static func finger(
        _ settings: VaultSettings?, _ context: CommandContext
    ) -> FingerState {
        guard settings?.isOn(.verifyWithFingerprint) == true else { return .off }
        guard let status = try? context.vault.agent()?.status(), status.isUnlocked else {
            return .on
        }
        return status.finger
    }

    /// Keeps the items that can be decrypted. Before that, it shows the problems, asks, and copies the file.
    private static func repair(
        _ storage: any RecordStorage, with secret: borrowing VaultSecret,
        _ diagnosis: inout Diagnosis, _ context: CommandContext
    ) throws {
        if !context.console.isJSON { try DiagnosisReport(diagnosis, context).printProblems() }
        try context.console.requireConsent(to: "repair the vault") { prompt in
            try prompt.confirm(
                "Keep the items that can be decrypted and remove the rest? Items that were removed or put back cannot be detected afterwards"
            )
        }
        let time = Timestamp.rfc3339(milliseconds: context.vault.environment.now())
        let copy = context.folders.file + ".before-repair-" + time
        try storage.backup(to: copy)
        // The repair is about to replace the vault that the agent holds.
        try context.vault.lockAgent()
        let locked = try context.vault.locked(storage)
        let outcome = try locked.authenticateForRepair(with: secret).repair()
        // A second check, from the header on, shows whether the repair succeeded.
        try examine(try context.vault.locked(storage), with: secret, &diagnosis, context)
        diagnosis.repair = Diagnosis.Repair(
            kept: outcome.kept, removed: outcome.removed, isStateLost: outcome.isStateLost,
            copy: copy)
    }
}

extension OptionDescription {
    static let repair = OptionDescription(
        "repair", "repair the vault, after showing the problems and asking")
}
