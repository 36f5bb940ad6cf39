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
            Quick, however much the vault holds: the keys are wrapped anew, the secrets stay as they are. The old passphrase does not open this \
            file any more. It still opens older copies of it; after a leak use rekey.
            """,
            "From a passphrase file the old passphrase is the first line and the new one the second.",
            "This is what opens the vault. The password that an auth server knows is changed by account password.",
        ],
        examples: [
            .init("taskvault passphrase change", "a new passphrase"),
            .init("taskvault passphrase change --recovery", "after forgetting the old one"),
            .init("taskvault passphrase change --kdf-memory 1024", "and dearer guesses"),
        ],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, slots, source in
            let passphrase = try NewPassphrase.ask(source)
            let old = slots.first { $0.kind == .passphrase }?.cost ?? .standard
            let cost = KeyDerivationCost(context.invocation, insteadOf: old)
            NewPassphrase.Assessment(passphrase, cost).report(on: context.console)
            let oldBytes = try vault.changePassphrase(to: passphrase, cost: cost)
            try KeyReport(context).print(
                """
                changed the passphrase: the old one does not open this file any more, but still opens older copies of it (after a leak: \
                \(context.folders.command("rekey")))
                """, oldBytes, code: nil)
        }
    }
}

extension OptionDescription {
    /// Memory of Argon2id from now on.
    static let newMemory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "memory in MiB that each guess costs from now on")
    /// Passes of Argon2id from now on.
    static let newPasses = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "passes over that memory that each guess costs from now on")
}
