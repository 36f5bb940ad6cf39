internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore

/// `passphrase change`: puts another passphrase in the place of the one that was typed.
enum ChangePassphraseCommand: Command {
    static let description = CommandDescription(
        path: ["passphrase", "change"],
        summary: "change the passphrase",
        options: [.recovery, .newMemory, .newPasses],
        notes: [
            """
            Takes the same time for every vault: the keys are wrapped again, the secrets do not change. The old passphrase no longer \
            opens this file. It still opens older copies of it; after a leak use rekey.
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
        try context.vault.withAuthenticatedVault { vault, slots, source in
            let passphrase = try NewPassphrase.ask(source, context.console)
            let old = slots.first { $0.kind == .passphrase }?.cost ?? .standard
            let cost = KeyDerivationCost(context.invocation, insteadOf: old)
            let oldBytes = try vault.changePassphrase(to: passphrase, cost: cost)
            try KeyReport(context).print(
                """
                changed the passphrase: the old one no longer opens this file, but still opens older copies of it (after a leak: \
                \(context.folders.command("rekey")))
                """, oldBytes, code: nil)
        }
    }
}

extension OptionDescription {
    /// Memory of Argon2id from now on.
    static let newMemory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "new memory of the key derivation in MiB")
    /// Passes of Argon2id from now on.
    static let newPasses = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "new passes of the key derivation")
}
