internal import Application
internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore

/// `passphrase change`: replaces the typed passphrase by another one.
enum ChangePassphraseCommand: Command {
    static let description = CommandDescription(
        path: ["passphrase", "change"],
        summary: "change the passphrase",
        options: [.recovery, .key, .keepKeys, .newMemory, .newPasses],
        exclusive: [.recovery, .key],
        notes: [
            """
            Replaces the keys and encrypts every secret again, in one step. The old passphrase then opens only copies of the file from \
            before. The recovery code stays. The time grows with the size of the vault.
            """,
            """
            With --keep-keys the secrets do not change, which takes the same time for every vault. The old passphrase then opens copies \
            of the file from before, and the keys in them also open what is saved here later, until taskvault rekey replaces them.
            """,
            """
            In a passphrase file the old passphrase is the first line and the new one the second.
            """,
            """
            This is the passphrase of the vault. To change the password at an auth server: account password.
            """,
        ],
        examples: [
            .init("taskvault passphrase change", "set a new passphrase"),
            .init("taskvault passphrase change --recovery", "after forgetting the old one"),
            .init(
                "taskvault passphrase change --kdf-memory 1024", "and a higher key derivation cost"),
        ],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, slots, prompts in
            let old = slots.first { $0.kind == .passphrase }?.cost ?? .standard
            let cost = KeyDerivationCost(context.invocation, insteadOf: old)
            let isKeeping = context.invocation.has(.keepKeys)
            let oldBytes = try context.changeKeys(of: vault, keepingKeys: isKeeping) {
                vault, progress in
                try vault.changePassphrase(
                    to: NewPassphrase.ask(prompts.source, context.console), cost: cost,
                    keepingKeys: isKeeping, progress: progress)
            }
            try KeyReport(context).print(
                "changed the passphrase", ending: "the old one", keepingKeys: isKeeping, oldBytes)
        }
    }
}

extension OptionDescription {
    /// The new memory of Argon2id, in MiB.
    static let newMemory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "new memory of the key derivation in MiB")
    /// The new number of passes of Argon2id.
    static let newPasses = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "new passes of the key derivation")
}
