internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `rekey`: makes new keys and encrypts every secret anew.
enum RekeyCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withAuthenticatedVault { (vault, slots, _) throws(CommandFailure) in
            // Asked first: afterwards the agent finds out by itself that its keys are replaced, and one that cannot be asked is no surprise.
            let endsSession = try context.isAgentUnlocked()
            var line = ProgressLine("encrypting anew", descriptor: context.surroundings.errors)
            var outcome: RekeyOutcome
            do throws(VaultError) {
                outcome = try vault.rekey { (done, total) in line.update(done: done, of: total) }
            } catch {
                throw CommandFailure(error, context.vault)
            }
            line.finish()
            if endsSession {
                context.notices.remark("locked: the agent's keys are no longer those of the vault")
            }
            do throws(CommandFailure) {
                try context.lockAgent()
            } catch {
                // It holds keys that open nothing; the new recovery code is shown all the same.
                context.notices.warn(error.code, error.message)
            }
            if slots.contains(where: { $0.kind == .passphrase }),
                context.openingKind == .recoveryCode
            {
                context.notices.warn(
                    "passphrase_ended",
                    "the passphrase does not open the vault any more, only the recovery code: "
                        + context.folders.command("passphrase change --recovery"))
            }
            try report(&outcome, context)
        }
    }

    private static func report(
        _ outcome: inout RekeyOutcome, _ context: CommandContext
    ) throws(CommandFailure) {
        var text: SecretBytes?
        if let code = outcome.recoveryCode.take() { text = try context.text(of: code) }
        try context.reportKeys(
            """
            made new keys and encrypted every secret anew: keys of older copies open nothing of this file any more, but such a copy still shows \
            what it held
            """, outcome.oldBytes, code: text)
    }
}
