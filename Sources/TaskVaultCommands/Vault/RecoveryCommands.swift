internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `recovery show-new`: makes a recovery code in the place of the old one.
enum ShowNewRecoveryCodeCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "show-new"],
        summary: "make a new recovery code and print it once",
        options: [.recovery],
        notes: ["The old code does not open this file any more."],
        examples: [.init("taskvault recovery show-new", "after losing the paper")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let made = try vault.replaceRecoveryCode()
            let text = try made.code.text()
            try KeyReport(context).print(
                "made a new recovery code: the old one does not open this file any more, but still opens older copies of it",
                made.oldBytes, code: consume text)
        }
    }
}

/// `recovery revoke`: removes the recovery code.
enum RevokeRecoveryCodeCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "revoke"],
        summary: "remove the recovery code",
        notes: [
            "Afterwards a forgotten passphrase means lost secrets, until show-new makes a new code."
        ],
        examples: [.init("taskvault recovery revoke", "the paper was seen by somebody")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let oldBytes = try vault.revokeSlots(.recoveryCode)
            try KeyReport(context).print(
                "removed the recovery code: it does not open this file any more, but still opens older copies of it",
                oldBytes, code: nil)
        }
    }
}
