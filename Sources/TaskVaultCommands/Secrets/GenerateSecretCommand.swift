internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import VaultCore

/// `secret generate`: makes, saves and shows a random secret.
enum GenerateSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        let made = try context.withStore(.changing) { (store) throws(CommandFailure) in
            let saving = try SecretSaving(name, store.secrets, context)
            let value = try generate(context.invocation)
            // Shown only when it is durable: what somebody has used must not be lost.
            return FoundSecret(item: try saving.save(value), value: value)
        }
        try context.print(made)
    }

    private static func generate(_ invocation: Invocation) throws(CommandFailure) -> SecretBytes {
        let recipe: SecretRecipe =
            if let words = invocation.number(of: .words) {
                .words(count: words)
            } else {
                .password(length: invocation.number(of: .length) ?? 24)
            }
        let allowed = recipe.allowedSizes
        guard allowed.contains(recipe.size) else {
            throw .usage("the length is \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        do {
            return try SecretGenerator().make(recipe)
        } catch {
            throw .outOfMemory
        }
    }
}
