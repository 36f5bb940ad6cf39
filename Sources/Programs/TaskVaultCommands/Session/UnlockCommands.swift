internal import Application
internal import CommandLine
internal import Platform
internal import VaultAgent
internal import VaultCore

/// `unlock`: unlocks the vault for the commands that follow.
enum UnlockCommand: Command {
    static let description = CommandDescription(
        path: ["unlock"],
        summary: "unlock the vault for the commands that follow",
        options: [.offline, .key],
        notes: [
            """
            Asks for the passphrase and starts the agent, a background process that holds the keys in memory; other commands use it. \
            Protected secrets can be read during the verification window. Other secrets can be read until the idle limit or the absolute \
            limit is reached, or the vault is locked.
            """,
            "If the vault is unlocked already, asks again and starts a new verification window.",
            """
            On a terminal a plugged-in security key of the vault is asked first; Enter, or no touch in time, turns to the passphrase. \
            With --key nothing else is asked.
            """,
            """
            If an auth server is set and an account has signed in before, signs in with the cached credentials, without a question. A \
            failed sign-in does not affect the vault.
            """,
            "Messages that have come to this machine meanwhile are put into the vault.",
        ],
        examples: [
            .init("taskvault unlock", "ask for the passphrase once"),
            .init("taskvault unlock --key", "by a security key"),
            .init("taskvault unlock --passphrase-file - < passphrase.txt", "in a script"),
        ],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        try unlock(context.application.options.openingKind, context)
    }

    /// Asks for the secret of a key slot, and unlocks the vault in the agent.
    static func unlock(_ kind: KeySlotKind, _ context: CommandContext) throws {
        let vault = context.vault
        // These checks fail before the question if the agent is unusable or the vault has no sound header.
        _ = try vault.agent()
        try vault.requireHeader()
        let (agent, status) = try vault.withSecret(kind) { secret in try vault.unlock(with: secret)
        }
        try SessionReport(context).print("unlocked", status)
        let isOffline = context.invocation.takes(.offline) && context.invocation.has(.offline)
        if !isOffline { context.signIn.signInSilently(agent) }
        context.application.takeWaiting(after: agent, online: !isOffline)
    }
}

/// `recovery unlock`: unlocks the vault with the recovery code.
enum RecoveryUnlockCommand: Command {
    static let description = CommandDescription(
        path: ["recovery", "unlock"],
        summary: "unlock the vault with the recovery code",
        options: [.offline],
        notes: [
            "Works as unlock. To set a new passphrase: passphrase change --recovery."
        ],
        examples: [.init("taskvault recovery unlock", "after forgetting the passphrase")],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        try UnlockCommand.unlock(.recoveryCode, context)
    }
}

/// `verify`: verifies the owner again.
enum VerifyCommand: Command {
    static let description = CommandDescription(
        path: ["verify"],
        summary: "verify the owner, to read protected secrets",
        options: [.key],
        notes: [
            """
            Protected secrets can be read until the verification window passes without use, but at most ten minutes after the \
            verification (or the window, if that is longer).
            """,
            """
            With the setting verify-with-fingerprint, a terminal is offered the fingerprint reader first; Enter turns to the passphrase. \
            Three other fingers turn it off until the next unlock. The same holds for each command that shows protected text.
            """,
        ],
        examples: [.init("taskvault verify", "ask, and start a new verification window")],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let agent = try context.vault.agent()
        if context.console.canAnswer, try !context.vault.isUnlocked(agent) {
            return try UnlockCommand.unlock(context.application.options.openingKind, context)
        }
        guard let agent else { throw try context.vault.lockedFailure() }
        // The check fails before the question.
        _ = try context.vault.unlockedStatus(of: agent)
        try context.vault.verify(agent)
        context.vault.saveBackupKey(agent)
        try SessionReport(context).print("verified", try agent.status())
    }
}

/// `lock`: wipes the agent's keys.
enum LockCommand: Command {
    static let description = CommandDescription(
        path: ["lock"],
        summary: "lock the vault",
        notes: [
            """
            The agent wipes the keys from its memory. Does nothing if no agent is running. An agent of another version is ended.
            """,
            "With --json it prints the same object as status.",
        ],
        examples: [.init("taskvault lock", "before leaving the machine")],
        exitCodes: [.refused], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let status = try context.vault.withAgentPlace { place -> AgentStatus? in
            do {
                return try AgentClient(place, programVersion: ProductVersion.number).lock()
            } catch AgentError.otherVersion, AgentError.malformed {
                try AgentClient.end(place, programVersion: ProductVersion.number)
                return nil
            }
        }
        let report = SessionReport(context)
        if let status, let status { context.vault.warnOfRollbackRecord(status) }
        try report.printLocked("locked", status ?? nil)
    }
}

extension OptionDescription {
    static let offline = OptionDescription(
        "offline", "do not sign in afterwards; no network access")
}
