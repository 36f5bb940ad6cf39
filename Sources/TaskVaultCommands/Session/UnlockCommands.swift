internal import CommandLine
internal import VaultAgent
internal import VaultCore

/// `unlock`: unlocks the vault for the commands that follow.
enum UnlockCommand: Command {
    static let description = CommandDescription(
        path: ["unlock"],
        summary: "unlock the vault for the commands that follow",
        options: [.offline],
        notes: [
            """
            Asks for the passphrase and starts the agent, a background process that holds the keys in memory; other commands use it. \
            Protected secrets can be read during the verification window. Other secrets can be read until the idle limit or the absolute \
            limit is reached, or the vault is locked.
            """,
            "If the vault is unlocked already, asks again and starts a new verification window.",
            """
            If an auth server is set and an account has signed in before, signs in with the cached credentials, without a question. A \
            failed sign-in does not affect the vault.
            """,
        ],
        examples: [
            .init("taskvault unlock", "ask for the passphrase once"),
            .init("taskvault unlock --passphrase-file - < passphrase.txt", "in a script"),
        ],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        try unlock(.passphrase, context)
    }

    /// Asks for what opens the vault, and has the agent unlock it.
    static func unlock(_ kind: KeySlotKind, _ context: CommandContext) throws {
        let vault = context.vault
        // Fails before the question if the agent cannot be used, or there is no vault with a sound header.
        _ = try vault.agent()
        try vault.requireHeader()
        let secret = try context.console.secretSource().vaultSecret(kind)
        // An agent from before the question may have ended meanwhile.
        let running = try vault.agent()
        let agent = if let running { running } else { try AgentLauncher(context).start() }
        let status = try agent.unlock(
            with: secret, acceptsOlder: context.invocation.has(.acceptOlder),
            acceptsOther: context.invocation.has(.acceptOther))
        // Another process locked it in the same moment.
        guard status.isUnlocked else { throw CommandFailure.locked(vault.reference) }
        vault.note(agent)
        vault.saveBackupKey(agent)
        if !status.isMemoryLocked {
            context.console.notices.warn(
                "memory_not_locked",
                "memory cannot be locked (ulimit -l): the agent's keys may reach the swap")
        }
        try SessionReport(context).print("unlocked", status)
        if !context.invocation.has(.offline) { context.signIn.signInSilently(agent) }
    }
}

/// `recovery unlock`: the same with the recovery code.
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
        notes: [
            """
            Protected secrets can be read until the verification window passes without use, but at most ten minutes after the \
            verification (or the window, if that is longer).
            """
        ],
        examples: [.init("taskvault verify", "ask, and start a new verification window")],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        guard let agent = try context.vault.agent() else {
            throw try context.vault.lockedFailure()
        }
        // Fails before the question.
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
        if let status, let status { report.warnOfMark(status) }
        try report.printLocked("locked", status ?? nil)
    }
}

extension OptionDescription {
    /// Without the network.
    static let offline = OptionDescription(
        "offline", "do not sign in afterwards; no network access")
}
