internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore
internal import VaultStorage

/// `doctor`: checks every secret and the whole vault, and with `--repair` saves what can be saved.
enum DoctorCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        // Before the file is opened, which tidies a log away.
        var diagnosis = Diagnosis()
        diagnosis.noteFiles(of: context)
        let isRepairing = context.invocation.has(.repair)
        try context.withStorage(isRepairing ? .changing : .reading) {
            (storage) throws(CommandFailure) in
            let locked = try context.lockedVault(storage)
            diagnosis.noteMachine(locked.slots, context)
            let secret = try context.secretSource().vaultSecret(context.openingKind)
            try context.lockAgentIfOlderIsAccepted()
            try examine(locked, with: secret, &diagnosis, context)
            if isRepairing, diagnosis.canBeRepaired {
                try repair(storage, with: secret, &diagnosis, context)
            }
        }
        try DiagnosisReport(diagnosis, context).print()
    }

    /// Unlocks and reads everything; what is wrong goes into the diagnosis.
    private static func examine(
        _ locked: consuming LockedVault, with secret: borrowing VaultSecret,
        _ diagnosis: inout Diagnosis, _ context: CommandContext
    ) throws(CommandFailure) {
        diagnosis.problems = []
        do throws(VaultError) {
            let authenticated = try locked.authenticate(with: secret)
            let total = authenticated.itemCount
            let vault = authenticated.unlock()
            defer { vault.lock() }
            var line = ProgressLine("checking", descriptor: context.surroundings.errors)
            diagnosis.add(try vault.check { line.update(done: $0, of: total) })
            line.finish()
        } catch .damaged(let failure) {
            diagnosis.problems.append(Problem(failure))
        } catch .rolledBack {
            diagnosis.problems.append(Problem(.rolledBack))
        } catch {
            throw CommandFailure(error, context.vault)
        }
    }

    /// Keeps what opens, after showing what is wrong, asking, and keeping a copy of the file.
    private static func repair(
        _ storage: any RecordStorage, with secret: borrowing VaultSecret,
        _ diagnosis: inout Diagnosis, _ context: CommandContext
    ) throws(CommandFailure) {
        if !context.isJSON { try DiagnosisReport(diagnosis, context).printProblems() }
        try context.requireConsent(to: "repair the vault") { (prompt) throws(InputError) in
            try prompt.confirm(
                "Keep what opens and give up the rest? What somebody removed or put back cannot be told any more"
            )
        }
        let time = Timestamp.rfc3339(milliseconds: context.environment.now())
        let copy = context.folders.file + ".before-repair-" + time
        do throws(StorageError) {
            try storage.backup(to: copy)
        } catch {
            throw CommandFailure(error, context.vault)
        }
        // What it holds is about to be replaced.
        try context.lockAgent()
        let locked = try context.lockedVault(storage)
        let outcome: RepairOutcome
        do throws(VaultError) {
            outcome = try locked.authenticateForRepair(with: secret).repair()
        } catch {
            throw CommandFailure(error, context.vault)
        }
        // The proof that it helped is another check, from the header on.
        try examine(try context.lockedVault(storage), with: secret, &diagnosis, context)
        diagnosis.repair = Diagnosis.Repair(
            kept: outcome.kept, removed: outcome.removed, isStateLost: outcome.isStateLost,
            copy: copy)
    }
}
