internal import CommandLine
internal import VaultCore

/// `rekey`: makes new keys and encrypts every secret anew.
enum RekeyCommand: Command {
    static let description = CommandDescription(
        path: ["rekey"],
        summary: "create new keys and encrypt every secret again",
        options: [.recovery],
        notes: [
            """
            For use after the passphrase leaked and was changed, or the recovery code was replaced: a person with an older copy of the file \
            and the old passphrase or code cannot read secrets saved from now on. Atomic; the time grows with the size of the vault.
            """,
            """
            The passphrase and the recovery code stay as they are. A rekey alone does not end a leaked one.
            """,
        ],
        examples: [.init("taskvault rekey", "after a leak, when the passphrase has been changed")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            // Asked first: afterwards the agent finds out by itself that its keys are replaced, and one that cannot be asked is no surprise.
            let endsSession = try context.vault.isAgentUnlocked()
            var line = ProgressLine(
                "encrypting", descriptor: context.console.surroundings.errors)
            let oldBytes = try vault.rekey { done, total in line.update(done: done, of: total) }
            line.finish()
            if endsSession {
                context.console.notices.remark(
                    "locked: the agent's keys were replaced")
            }
            do {
                try context.vault.lockAgent()
            } catch {
                // It holds keys that open nothing; the result is shown all the same.
                let failure = context.about.failure(error)
                context.console.notices.warn(failure.code, failure.message)
            }
            try KeyReport(context).print(
                """
                created new keys and encrypted every secret again: the passphrase and the recovery code stay; keys of older copies no \
                longer open this file, but such a copy still shows its own content
                """, oldBytes, code: nil)
        }
    }
}
