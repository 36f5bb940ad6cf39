internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import VaultCore

/// `secret generate`: makes, saves and shows a random secret.
enum GenerateSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "generate"],
        summary: "generate, save and show a random secret",
        operands: [.service, .account],
        options: [.field, .length, .words, .accessClass, .label, .tagSecret, .replace],
        exclusive: [.length, .words],
        notes: [
            "The value is shown only after it is saved."
        ],
        examples: [
            .init("taskvault secret generate mail.example ada", "24 random characters"),
            .init("taskvault secret generate wifi home --words 6", "six words"),
            .init("taskvault secret generate old.example ada --length 12 --replace", "a new one"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        let made = try context.vault.withStore(.changing) { store in
            let saving = try SecretSaving(name, store, context)
            let value = try SecretGenerator().make(recipe(context.invocation))
            // Shown only when it is durable: a value in use must not be lost.
            return FoundSecret(item: try saving.save(value), value: value)
        }
        try made.print(on: context.console)
    }

    private static func recipe(_ invocation: Invocation) -> SecretRecipe {
        if let words = invocation.number(of: .words) { return .words(count: words) }
        return .password(length: invocation.number(of: .length) ?? 24)
    }
}

extension OptionDescription {
    /// Letters of a generated secret.
    static let length = OptionDescription(
        "length", .number("N", 4...1_024), "number of characters", standard: "24")
    /// Words of a generated secret.
    static let words = OptionDescription(
        "words", .number("N", 3...64), "generate this many words instead of characters")
}
