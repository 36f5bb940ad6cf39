internal import CommandLine
internal import VaultAgent

/// `status`: tells whether the vault is unlocked, and for how long.
enum StatusCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        guard context.hasVault, let agent = try agent(context),
            let status = try status(of: agent, context)
        else {
            return try context.reportLocked("the vault is locked")
        }
        context.warnOfMark(status)
        if context.isJSON { return try context.printJSON(status) }
        guard status.isUnlocked else {
            return try context.printLine(
                "the vault is locked; its agent is process \(status.processID)")
        }
        try context.printLine(
            "the vault is unlocked for \(status.idleText), by process \(status.processID)")
        try context.printLine(
            status.isVerified
                ? "protected secrets can be read for \(status.verificationText)"
                : "protected secrets need the passphrase: \(context.folders.command("verify"))")
    }

    /// What the agent says; nil where it has ended since it was found, as one does that has been locked for a while.
    private static func status(
        of agent: AgentClient, _ context: CommandContext
    ) throws(CommandFailure) -> AgentStatus? {
        try context.explainingAgent { () throws(AgentError) -> AgentStatus? in
            do throws(AgentError) {
                return try agent.status()
            } catch .notRunning {
                return nil
            }
        }
    }

    /// The agent; nil where none of this user's answers.
    private static func agent(_ context: CommandContext) throws(CommandFailure) -> AgentClient? {
        do throws(CommandFailure) {
            return try context.agent()
        } catch {
            // Whoever else could answer there has not unlocked the vault; of an agent that cannot be asked nobody knows.
            guard error.exitCode == .refused else { throw error }
            context.notices.warn(error.code, error.message)
            return nil
        }
    }
}

extension AgentStatus {
    /// How long protected secrets can be read without use, for people.
    var verificationText: String {
        TimeSpan(milliseconds: min(verificationLeft, sessionLeft)).text
    }

    /// How long the vault stays unlocked without use, for people.
    var idleText: String { TimeSpan(milliseconds: sessionLeft).text }

    private var sessionLeft: UInt64 { min(idleTimeLeft, absoluteTimeLeft) }
}

extension CommandContext {
    /// Says that the agent could not keep this machine's mark.
    func warnOfMark(_ status: AgentStatus) {
        guard !status.isMarkKept else { return }
        notices.warn(
            "mark_not_kept",
            "the agent cannot remember the vault's newest state on this machine, so an older copy in its place would not be noticed"
        )
    }

    /// Whether anything lies where the vault belongs; where the settings do not say where, whether there is a file. Whoever asks must be able to lock also
    /// with settings that are not understood.
    var hasVault: Bool { (try? vaultSource())?.mayExist ?? FileSystem.exists(vault.path) }

    /// Says that nothing is unlocked: `line`, or that there is no vault.
    func reportLocked(_ line: String, _ status: AgentStatus? = nil) throws(CommandFailure) {
        if isJSON { return try printJSON(status) }
        try printLine(hasVault ? line : "there is no vault at \(vault.path)")
    }

    /// Prints what an agent says of its session, in JSON; nil where there is none. The members are always the same.
    func printJSON(_ status: AgentStatus?) throws(CommandFailure) {
        let session = status.flatMap { $0.isUnlocked ? $0 : nil }
        func seconds(_ left: UInt64?) -> UInt64? {
            left.map { TimeSpan(milliseconds: $0).seconds }
        }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("state", session != nil ? "unlocked" : hasVault ? "locked" : "none")
            try json.member("verified", session?.isVerified ?? false)
            try json.member("verification_seconds_left", seconds(session?.verificationLeft))
            try json.member("idle_seconds_left", seconds(session?.idleTimeLeft))
            try json.member("absolute_seconds_left", seconds(session?.absoluteTimeLeft))
            try json.member("memory_locked", status?.isMemoryLocked)
            try json.member("process_id", status?.processID)
            try json.endObject()
        }
    }
}
