internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore
internal import VaultStorage

/// `init`: makes the vault.
enum InitialiseCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let place = VaultPlace(context)
        let vault = try context.vaultSource()
        if vault.isFile { try place.requireFree() }
        let cost = KeyDerivationCost(context.invocation, insteadOf: .standard)
        let source = try context.secretSource()
        let passphrase = try NewPassphrase.ask(source)
        context.assess(passphrase, cost)
        if !MemoryLocking.isAvailable {
            context.notices.warn(
                "memory_not_locked",
                "the system does not let this program keep memory out of swap (ulimit -l); secrets may reach the disk there"
            )
        }
        let isNewFolder = try place.makeFolder()
        let code: RecoveryCode
        do throws(VaultError) {
            code = try create(vault, passphrase, cost, context)
        } catch {
            if isNewFolder { place.removeFolder() }
            throw CommandFailure(error, context.vault)
        }
        try context.printNewVault(code, at: vault.title)
    }

    private static func create(
        _ vault: VaultSource, _ passphrase: consuming Passphrase, _ cost: KeyDerivationCost,
        _ context: CommandContext
    ) throws(VaultError) -> RecoveryCode {
        let tables: (any RecordStorage)?
        do throws(StorageError) {
            tables = try vault.openOrCreateTables()
        } catch {
            throw .storage(error)
        }
        guard let tables else {
            return try VaultFile.create(
                at: context.folders.file, context.environment, passphrase: passphrase, cost: cost)
        }
        defer { tables.close() }
        return try VaultCreation.create(
            in: tables, context.environment, passphrase: passphrase, cost: cost)
    }
}

extension KeyDerivationCost {
    /// The cost that the options ask for; what they leave out is as in `standard`.
    init(_ invocation: Invocation, insteadOf standard: KeyDerivationCost) {
        // The options of `passphrase change` have the names of those of `init`, and no standard values.
        let memory = invocation.number(of: .newMemory).map { UInt32($0) * 1_024 }
        let passes = invocation.number(of: .newPasses).map { UInt32($0) }
        self.init(
            passes: passes ?? standard.passes, memoryKiB: memory ?? standard.memoryKiB)
    }
}

extension CommandContext {
    fileprivate func printNewVault(
        _ code: borrowing RecoveryCode, at path: String
    ) throws(CommandFailure) {
        let text = try text(of: code)
        if isJSON {
            return try printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("path", path)
                try json.key("recovery_code")
                try json.ascii(text)
                try json.endObject()
            }
        }
        try printLine("made the vault \(path)")
        try printRecoveryCode(text)
    }

    /// The code as it is printed.
    func text(of code: borrowing RecoveryCode) throws(CommandFailure) -> SecretBytes {
        do throws(SealingError) {
            return try code.text()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints a recovery code, the one time that it is shown.
    func printRecoveryCode(_ text: borrowing SecretBytes) throws(CommandFailure) {
        try print { (output) throws(OutputError) in
            try output.writeLine(
                "The recovery code opens the vault when the passphrase is forgotten. It is shown this once:"
            )
            try output.write("\n    ")
            try output.write(secret: text)
            try output.writeLine("\n")
            try output.writeLine(
                "Write it on paper and keep it where nobody else looks: whoever has it can open the vault."
            )
        }
    }
}
