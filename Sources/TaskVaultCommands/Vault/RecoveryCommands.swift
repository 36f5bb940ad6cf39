internal import CommandLine
internal import SecretMemory
internal import VaultCore

/// `recovery show-new`: makes a recovery code in the place of the old one.
enum ShowNewRecoveryCodeCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "show-new"],
        summary: "create a new recovery code and print it once",
        options: [.recovery],
        notes: [
            "The old code no longer opens this file."
        ],
        examples: [.init("taskvault recovery show-new", "after losing the code")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let made = try vault.replaceRecoveryCode()
            let text = try made.code.text()
            try KeyReport(context).print(
                "created a new recovery code: the old one no longer opens this file, but still opens older copies of it",
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
            """
            Afterwards a forgotten passphrase means lost secrets, until show-new creates a new code.
            """
        ],
        examples: [.init("taskvault recovery revoke", "after the code leaked")],
        exitCodes: .opening)

    static func run(_ context: CommandContext) throws {
        try context.vault.withAuthenticatedVault { vault, _, _ in
            let oldBytes = try vault.revokeSlots(.recoveryCode)
            try KeyReport(context).print(
                "removed the recovery code: it no longer opens this file, but still opens older copies of it",
                oldBytes, code: nil)
        }
    }
}
