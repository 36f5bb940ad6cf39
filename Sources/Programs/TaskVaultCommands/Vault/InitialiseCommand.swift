internal import Application
internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import TextCoding
internal import VaultCore
internal import VaultStorage

/// `init`: creates the vault.
enum InitialiseCommand: Command {
    static let description = CommandDescription(
        path: ["init"],
        summary: "create the vault",
        options: [.memory, .passes],
        notes: [
            """
            Asks for a new passphrase twice, at least four characters, and shows its strength: weak below 10^8 guesses, strong from \
            10^16. On a terminal it asks whether to use a weak one. Prints a recovery code once. \
            Store it offline: anyone with this code can unlock the vault.
            """,
            "At a terminal the vault is unlocked afterwards, as by unlock; --no-agent leaves it locked.",
            """
            An existing vault is never changed. The vault is one file, vault.db. If the vault of this place is missing and was not removed \
            by destroy, a new one requires --accept-other.
            """,
        ],
        examples: [
            .init("taskvault init", "in the default folder"),
            .init("taskvault init --home /media/key/vault", "on a memory stick"),
            .init(
                "taskvault init --kdf-memory 1024 --kdf-passes 4", "a higher key derivation cost"),
            .init(
                "taskvault init --passphrase-file - < passphrase.txt",
                "in a script"),
        ],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable])

    static func run(_ context: CommandContext) throws {
        let place = NewVaultPlace(context.application)
        let vault = try context.vault.source()
        if vault.isFile { try place.requireFree() }
        let cost = KeyDerivationCost(context.invocation, insteadOf: .standard)
        let source = try context.console.passphrases()
        let passphrase = try NewPassphrase.ask(source, context.console)
        if !MemoryLocking.isAvailable {
            context.console.notices.warn(
                "memory_not_locked",
                "memory cannot be locked (ulimit -l): secrets may reach the swap"
            )
        }
        // A person at a terminal need not type the passphrase again.
        let typed = try given(passphrase, source, context)
        let code = try place.create(passphrase, cost: cost)
        try print(code, at: vault.title, context)
        switch typed {
        case .some(let typed): unlock(with: typed, context)
        case .none: break
        }
    }

    /// The new passphrase for the agent; nil if it is from a file, or with `--no-agent`.
    private static func given(
        _ passphrase: borrowing Passphrase, _ source: any SecretSource,
        _ context: CommandContext
    ) throws -> VaultSecret? {
        guard source.isPerson, !context.invocation.has(.noAgent) else { return nil }
        return .passphrase(try passphrase.copy())
    }

    /// Unlocks the new vault. A failure is only a warning, because the vault exists already.
    private static func unlock(with typed: borrowing VaultSecret, _ context: CommandContext) {
        do {
            let (_, status) = try context.vault.unlock(with: typed)
            context.vault.remark("unlocked", status)
        } catch {
            context.console.notices.warn(
                "not_unlocked",
                "the vault is not unlocked: \(context.errors.failure(error).reason)")
        }
    }

    private static func print(
        _ code: borrowing RecoveryCode, at path: String, _ context: CommandContext
    ) throws {
        let text = try code.text()
        let console = context.console
        guard console.isJSON else {
            try console.printLine("created the vault \(path)")
            return try KeyReport(context).print(recoveryCode: text)
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("path", path)
            try json.key("recovery_code")
            try json.ascii(text)
            try json.endObject()
        }
    }
}

extension KeyDerivationCost {
    /// The cost from the options; `standard` provides the missing values.
    init(_ invocation: Invocation, insteadOf standard: KeyDerivationCost) {
        // The options of `passphrase change` have the same names as those of `init`, but no default values.
        let memory = invocation.number(of: .newMemory).map { UInt32($0) * 1_024 }
        let passes = invocation.number(of: .newPasses).map { UInt32($0) }
        self.init(
            passes: passes ?? standard.passes, memoryKiB: memory ?? standard.memoryKiB)
    }
}

extension OptionDescription {
    /// The memory of Argon2id for a new vault, in MiB.
    static let memory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "memory of the key derivation in MiB", standard: "256")
    /// The number of passes of Argon2id for a new vault.
    static let passes = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "passes of the key derivation", standard: "3")
}
