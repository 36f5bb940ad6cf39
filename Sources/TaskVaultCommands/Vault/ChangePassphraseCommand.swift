internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import VaultCore

/// `passphrase change`: puts another passphrase in the place of the one that was typed.
enum ChangePassphraseCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withAuthenticatedVault { (vault, slots, source) throws(CommandFailure) in
            let passphrase = try NewPassphrase.ask(source)
            let old = slots.first { $0.kind == .passphrase }?.cost ?? .standard
            let cost = KeyDerivationCost(context.invocation, insteadOf: old)
            context.assess(passphrase, cost)
            let oldBytes: OldBytes
            do throws(VaultError) {
                oldBytes = try vault.changePassphrase(to: passphrase, cost: cost)
            } catch {
                throw CommandFailure(error, context.vault)
            }
            try context.reportKeys(
                """
                changed the passphrase: the old one does not open this file any more, but still opens older copies of it (after a leak: \
                \(context.folders.command("rekey")))
                """, oldBytes, code: nil)
        }
    }
}
