internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `rekey`: makes new keys and encrypts every secret anew.
enum RekeyCommand: Command {
    static let description = CommandDescription(
        path: ["rekey"],
        summary: "create new keys and encrypt every secret again",
        options: [.recovery],
        notes: [
            """
            For use after the passphrase leaked and was changed: a person with an older copy of the file and the old passphrase cannot \
            read secrets saved from now on. Atomic; the time grows with the size of the vault.
            """
        ],
        examples: [.init("taskvault rekey", "after a leak, when the passphrase has been changed")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, slots, _ in
            // Asked first: afterwards the agent finds out by itself that its keys are replaced, and one that cannot be asked is no surprise.
            let endsSession = try context.vault.isAgentUnlocked()
            var line = ProgressLine(
                "encrypting", descriptor: context.console.surroundings.errors)
            var outcome = try vault.rekey { done, total in line.update(done: done, of: total) }
            line.finish()
            if endsSession {
                context.console.notices.remark(
                    "locked: the agent's keys were replaced")
            }
            do {
                try context.vault.lockAgent()
            } catch {
                // It holds keys that open nothing; the new recovery code is shown all the same.
                let failure = context.about.failure(error)
                context.console.notices.warn(failure.code, failure.message)
            }
            if slots.contains(where: { $0.kind == .passphrase }),
                context.vault.openingKind == .recoveryCode
            {
                context.console.notices.warn(
                    "passphrase_ended",
                    "the passphrase no longer opens the vault, only the recovery code: "
                        + context.folders.command("passphrase change --recovery"))
            }
            try report(&outcome, context)
        }
    }

    private static func report(
        _ outcome: inout RekeyOutcome, _ context: CommandContext
    ) throws {
        var text: SecretBytes?
        if let code = outcome.recoveryCode.take() { text = try code.text() }
        try KeyReport(context).print(
            """
            created new keys and encrypted every secret again: keys of older copies no longer open this file, but such a copy still shows \
            its own content
            """, outcome.oldBytes, code: text)
    }
}
