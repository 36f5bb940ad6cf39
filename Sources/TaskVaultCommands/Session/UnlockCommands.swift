internal import CommandLine
internal import VaultAgent
internal import VaultCore

/// `unlock`: unlocks the vault for the commands that follow.
enum UnlockCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.unlock(.passphrase)
    }
}

/// `recovery unlock`: the same with the recovery code.
enum RecoveryUnlockCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.unlock(.recoveryCode)
    }
}

/// `verify`: proves once more that it is the owner.
enum VerifyCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        guard let agent = try context.agent() else { throw try context.lockedFailure() }
        let status = try context.explainingAgent { () throws(AgentError) in try agent.status() }
        // Nobody types a passphrase for nothing.
        guard status.isUnlocked else { throw .locked(context.vault) }
        try context.verify(agent)
        try context.report(
            "verified", try context.explainingAgent { () throws(AgentError) in try agent.status() })
    }
}

/// `lock`: wipes the agent's keys.
enum LockCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let status = try context.withAgentPlace { (place) throws(AgentError) -> AgentStatus? in
            do throws(AgentError) {
                return try AgentClient(place, programVersion: ProductVersion.number).lock()
            } catch .otherVersion, .malformed {
                _ = try AgentClient.end(place, programVersion: ProductVersion.number)
                return nil
            }
        }
        if let status, let status { context.warnOfMark(status) }
        try context.reportLocked("locked", status ?? nil)
    }
}

extension CommandContext {
    fileprivate func unlock(_ kind: KeySlotKind) throws(CommandFailure) {
        // Nobody is asked for the passphrase where an agent cannot be used, or of a vault that is not there or has no sound header.
        _ = try agent()
        try withStorage(.reading) { (storage) throws(CommandFailure) in
            _ = try lockedVault(storage)
        }
        let secret = try secretSource().vaultSecret(kind)
        // One that was there before the question may have ended meanwhile.
        let running = try agent()
        let agent = if let running { running } else { try AgentLauncher(self).start() }
        let status = try explainingAgent { () throws(AgentError) in
            try agent.unlock(with: secret, acceptsOlder: invocation.has(.acceptOlder))
        }
        // Somebody locked it in the same moment.
        guard status.isUnlocked else { throw .locked(vault) }
        if !status.isMemoryLocked {
            notices.warn(
                "memory_not_locked",
                "the system does not let the agent keep its keys out of swap (ulimit -l)")
        }
        try report("unlocked", status)
        if !invocation.has(.offline) { signInSilently(agent) }
    }

    fileprivate func report(_ done: String, _ status: AgentStatus) throws(CommandFailure) {
        warnOfMark(status)
        if isJSON { return try printJSON(status) }
        try printLine(
            "\(done): protected secrets for \(status.verificationText), the others for \(status.idleText)"
        )
    }
}
