internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `recovery show-new`: makes a recovery code in the place of the old one.
enum ShowNewRecoveryCodeCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withAuthenticatedVault { (vault, _, _) throws(CommandFailure) in
            let made = try context.explaining { () throws(VaultError) in
                try vault.replaceRecoveryCode()
            }
            let text = try context.text(of: made.code)
            try context.reportKeys(
                "made a new recovery code: the old one does not open this file any more, but still opens older copies of it",
                made.oldBytes, code: consume text)
        }
    }
}

/// `recovery revoke`: removes the recovery code.
enum RevokeRecoveryCodeCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withAuthenticatedVault { (vault, _, _) throws(CommandFailure) in
            let oldBytes = try context.explaining { () throws(VaultError) in
                try vault.revokeSlots(.recoveryCode)
            }
            try context.reportKeys(
                "removed the recovery code: it does not open this file any more, but still opens older copies of it",
                oldBytes, code: nil)
        }
    }
}
