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
            Asks for the passphrase and starts the agent, a process of yours that holds the keys in memory; other commands ask it. Protected secrets \
            can be read for a short while, the verification window; the others until the vault was not used for the idle limit, or the absolute limit has \
            passed, or it is locked.
            """,
            "While the vault is unlocked, asks again and begins a new verification.",
            """
            Where an auth server is set and somebody signed in before, signs in there with what the vault has, without a question. Whether that succeeds does not matter to the vault.
            """,
        ],
        examples: [
            .init("taskvault unlock", "ask once"),
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
            with: secret, acceptsOlder: context.invocation.has(.acceptOlder))
        // Another process locked it in the same moment.
        guard status.isUnlocked else { throw CommandFailure.locked(vault.reference) }
        if !status.isMemoryLocked {
            context.console.notices.warn(
                "memory_not_locked",
                "the system does not let the agent keep its keys out of swap (ulimit -l)")
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
        notes: ["As unlock. To get a passphrase that you know: passphrase change --recovery."],
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
        summary: "prove once more that it is you, to read protected secrets",
        notes: [
            """
            Protected secrets can be read until they were not used for the verification window, but never for more than ten minutes after the proof (or \
            the window, where that is longer).
            """
        ],
        examples: [.init("taskvault verify", "ask, and begin a new verification window")],
        exitCodes: .opening, traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        guard let agent = try context.vault.agent() else {
            throw try context.vault.lockedFailure()
        }
        // Fails before the question.
        guard try agent.status().isUnlocked else {
            throw CommandFailure.locked(context.vault.reference)
        }
        try context.vault.verify(agent)
        try SessionReport(context).print("verified", try agent.status())
    }
}

/// `lock`: wipes the agent's keys.
enum LockCommand: Command {
    static let description = CommandDescription(
        path: ["lock"],
        summary: "lock the vault",
        notes: [
            "The agent wipes the keys from its memory. Without an agent nothing is to be done. An agent of another version is ended.",
            "With --json it prints what status does.",
        ],
        examples: [.init("taskvault lock", "before leaving the machine")],
        exitCodes: [.refused], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let status = try context.vault.withAgentPlace { place -> AgentStatus? in
            do {
                return try AgentClient(place, programVersion: ProductVersion.number).lock()
            } catch AgentError.otherVersion, AgentError.malformed {
                _ = try AgentClient.end(place, programVersion: ProductVersion.number)
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
        "offline", "do not sign in afterwards, and do not touch the network")
}
