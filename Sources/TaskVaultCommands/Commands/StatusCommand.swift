internal import Terminal
internal import VaultAgent

/// `status`: tells whether the vault is unlocked, and for how long.
enum StatusCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        guard FileSystem.exists(context.folders.file) else {
            return try report(
                "none", "there is no vault at \(context.folders.file)", context)
        }
        let agent: AgentClient?
        do throws(CommandFailure) {
            agent = try context.agent()
        } catch {
            // Whoever else could answer there has not unlocked the vault; of an agent that cannot be asked nobody knows.
            guard error.exitCode == .refused else { throw error }
            context.notices.warn(error.code, error.message)
            return try report("locked", "the vault is locked", context)
        }
        guard let agent else { return try report("locked", "the vault is locked", context) }
        let status = try context.explainingAgent { () throws(AgentError) in try agent.status() }
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

    private static func report(
        _ state: String, _ line: String, _ context: CommandContext
    ) throws(CommandFailure) {
        guard context.isJSON else { return try context.printLine(line) }
        try context.printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("state", state)
            try json.member("verified", false)
            try json.endObject()
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

    /// Prints what an agent says of its session, in JSON.
    func printJSON(_ status: AgentStatus) throws(CommandFailure) {
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("state", status.isUnlocked ? "unlocked" : "locked")
            try json.member("verified", status.isVerified)
            try json.member(
                "verification_seconds_left", TimeSpan(milliseconds: status.verificationLeft).seconds
            )
            try json.member(
                "idle_seconds_left", TimeSpan(milliseconds: status.idleTimeLeft).seconds)
            try json.member(
                "absolute_seconds_left", TimeSpan(milliseconds: status.absoluteTimeLeft).seconds)
            try json.member("memory_locked", status.isMemoryLocked)
            try json.member("process_id", UInt64(status.processID))
            try json.endObject()
        }
    }
}
