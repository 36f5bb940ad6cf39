internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret update`: replaces the value of a secret.
enum UpdateSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "update"],
        summary: "replace the value of a secret",
        operands: [.service, .account],
        options: [.field, .allowEmpty],
        notes: [
            SetSecretCommand.valueNote,
            "Label, class and name stay. A missing secret is an error.",
        ],
        examples: [
            .init("taskvault secret update mail.example ada", "after changing it at the service")
        ],
        exitCodes: .opening,
        traits: [.usesAgent],
        surplusHint: SetSecretCommand.valueHint)

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        try context.vault.withStore(.changing) { store in
            // A missing secret, or one that cannot be changed now, is reported before the question.
            try context.requireWritable(try store.secrets.describe(name), in: store)
            let value = try context.console.readValue()
            try context.checkSeed(value, of: name)
            let item = try store.secrets.update(name, to: value)
            try item.report("updated", on: context.console)
        }
    }
}
