internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `rekey`: makes new keys and encrypts every secret anew.
enum RekeyCommand: Command {
    static let description = CommandDescription(
        path: ["rekey"],
        summary: "make new keys and encrypt every secret anew",
        options: [.recovery],
        notes: [
            """
            After a passphrase leaked and was changed: somebody who has an older copy of the file and the old passphrase reads nothing that is saved from now \
            on. Takes as long as the vault is large; all of it happens or nothing.
            """
        ],
        examples: [.init("taskvault rekey", "after a leak, once the passphrase was changed")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, slots, _ in
            // Asked first: afterwards the agent finds out by itself that its keys are replaced, and one that cannot be asked is no surprise.
            let endsSession = try context.vault.isAgentUnlocked()
            var line = ProgressLine(
                "encrypting anew", descriptor: context.console.surroundings.errors)
            var outcome = try vault.rekey { done, total in line.update(done: done, of: total) }
            line.finish()
            if endsSession {
                context.console.notices.remark(
                    "locked: the agent's keys are no longer those of the vault")
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
                    "the passphrase does not open the vault any more, only the recovery code: "
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
            made new keys and encrypted every secret anew: keys of older copies open nothing of this file any more, but such a copy still shows \
            what it held
            """, outcome.oldBytes, code: text)
    }
}
