internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `status`: shows whether the vault is unlocked, and the remaining time.
enum StatusCommand: Command {
    private static let quiet = OptionDescription(
        "quiet", "print nothing: exit code 0 if the vault is unlocked, 3 if locked, 5 without one")

    static let description = CommandDescription(
        path: ["status"],
        summary: "show whether the vault is unlocked, and for how long",
        options: [quiet],
        notes: [
            "Extends no limit, and names the next step. The state is none (there is no vault), locked or unlocked.",
            """
            With --json the members are always the same, for unlock, verify and lock too: state, verified, verification_seconds_left, \
            idle_seconds_left and absolute_seconds_left (null unless unlocked), memory_locked and process_id (null without an agent). \
            Those of status alone are slots, the ways to open the vault, weak_points (null if the slots cannot be read), fingerprint \
            (on, off, turned_off or needs_verification) with fingerprint_last_used (both null unless unlocked), system_calls_limited \
            (whether the agent has a seccomp filter; null if unknown) and files_limited (Landlock; null without an agent).
            """,
            "The key slots of a vault on a server are shown only while it is unlocked, so that status never waits for the server.",
            """
            Does not detect that an older copy replaced the vault: that information is sealed, and unlock checks it. An older copy of the \
            to-do list's file gives a warning.
            """,
        ],
        examples: [
            .init("taskvault status", "for people"),
            .init("taskvault status --json", "for a script, or the prompt of a shell"),
            .init(
                "taskvault status --quiet && taskvault secret get mail", "only if it is unlocked"),
        ],
        exitCodes: [.locked, .notFound, .damaged, .refused], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let report = SessionReport(context)
        let console = context.console
        if context.invocation.has(quiet) { return try end(context) }
        // A list needs no vault.
        context.application.warnOfSilentReminders()
        context.application.warnOfOlderTasks()
        context.application.sync.warnOfFaults()
        guard context.vault.mayExist else {
            if console.isJSON { return try report.printJSON(nil, slots: .some(nil)) }
            try report.printLocked("")
            return try printNext("init", context)
        }
        let status = try status(context)
        let slots = slots(context, isUnlocked: status?.isUnlocked == true)
        if let status { context.vault.warnOfRollbackRecord(status) }
        // A vault without files needs little disk space.
        context.application.warnOfFullDisk(leastSize: 16 << 20)
        if console.isJSON { return try report.printJSON(status, slots: .some(slots)) }
        guard let status, status.isUnlocked else {
            try console.printLine(
                "the vault is locked"
                    + (status.map { "; its agent is process \($0.processID)" } ?? ""))
            try print(slots, context)
            return try printNext("unlock", context)
        }
        try console.printLine(
            "the vault is unlocked for \(status.idleText), by process \(status.processID)")
        try console.printLine(
            status.isVerified
                ? "protected secrets can be read for \(status.verificationText)"
                : "protected secrets need \(status.finger == .on ? "a finger or " : "")the passphrase: \(context.folders.command("verify"))"
        )
        try print(slots, context)
        if let slots { try console.printLine(slots.line(of: status.finger)) }
        if let isFiltered = SystemCallFilter.isActive(in: status.processID) {
            try console.printLine(
                "agent: system calls "
                    + (isFiltered ? "limited (seccomp)" : "not limited (no seccomp filter)")
                    + ", files "
                    + (status.areFilesLimited ? "limited (Landlock)" : "not limited (no Landlock)"))
        }
        let vaultID = try? context.vault.agent()?.vaultID()
        let hasBackup = vaultID.flatMap { BackupKeys(context.folders).hasKey(of: $0) } ?? true
        try printNext(hasBackup ? nil : Diagnosis.backupCommand, context)
    }

    /// Throws the failure whose exit code tells the state: `notFound` without a vault, `locked` if no agent has unlocked it.
    private static func end(_ context: CommandContext) throws {
        guard context.vault.mayExist else { throw Failure.explained(.notFound) }
        do {
            if try context.vault.agent()?.status().isUnlocked == true { return }
        } catch AgentError.notRunning {
            // The agent ended meanwhile.
        } catch {
            // A process other than the agent has not unlocked the vault.
            guard context.errors.failure(error).exitCode == .refused else { throw error }
        }
        throw Failure.explained(.locked)
    }

    /// The key slots; nil if unreadable, or on a server that the agent has not connected to.
    static func slots(_ context: CommandContext, isUnlocked: Bool) -> SlotReport? {
        guard isUnlocked || (try? context.vault.source())?.isFile == true else { return nil }
        return try? context.vault.slots()
    }

    private static func print(_ slots: SlotReport?, _ context: CommandContext) throws {
        guard let slots else { return }
        for line in slots.lines { try context.console.printLine(line) }
        if let weakPoint = slots.weakPoint {
            try context.console.printLine("weak point: " + weakPoint)
        }
    }

    /// Prints the next step for a person.
    private static func printNext(_ command: String?, _ context: CommandContext) throws {
        guard !context.console.isJSON else { return }
        try context.console.printLine(
            "next: " + (command.map(context.folders.command) ?? "nothing"))
    }

    /// The agent's status; nil if no agent of this user answers, or it ended meanwhile.
    static func status(_ context: CommandContext) throws -> AgentStatus? {
        let agent: AgentClient?
        do {
            agent = try context.vault.agent()
        } catch {
            // A process other than the agent has not unlocked the vault. The state of an unreachable agent is unknown.
            let failure = context.errors.failure(error)
            guard failure.exitCode == .refused else { throw error }
            context.console.notices.warn(failure.code, failure.message)
            return nil
        }
        do {
            return try agent?.status()
        } catch AgentError.notRunning {
            return nil
        }
    }
}

/// Prints the state of the session, for `unlock`, `verify`, `lock` and `status`.
struct SessionReport {
    private let console: Console
    private let vault: VaultAccess

    init(_ context: CommandContext) {
        console = context.console
        vault = context.vault
    }

    /// Prints a session that just began: a line, or the status in JSON.
    func print(_ done: String, _ status: AgentStatus) throws {
        vault.warnOfRollbackRecord(status)
        if console.isJSON { return try printJSON(status) }
        try console.printLine(status.line(done))
    }

    /// Prints the locked state: `line`, or that there is no vault.
    func printLocked(_ line: String, _ status: AgentStatus? = nil) throws {
        if console.isJSON { return try printJSON(status) }
        try console.printLine(
            vault.mayExist ? line : "there is no vault at \(vault.reference.path)")
    }

    /// Prints the agent's status in JSON; nil without an agent. The members are fixed, except `slots` of the command `status`.
    func printJSON(_ status: AgentStatus?, slots: SlotReport?? = nil) throws {
        let session = status.flatMap { $0.isUnlocked ? $0 : nil }
        try console.printJSON { json in
            try json.beginObject()
            try json.sessionMembers(status, mayExist: vault.mayExist)
            if let slots {
                try json.member("slots", slots)
                try json.key("weak_points")
                if let slots { try json.weakPoints(of: slots) } else { try json.null() }
                try json.member("fingerprint", session?.finger.code)
                try json.member(
                    "fingerprint_last_used",
                    milliseconds: session == nil ? nil : slots?.lastUseOfFinger)
                try json.member(
                    "system_calls_limited",
                    status.flatMap { SystemCallFilter.isActive(in: $0.processID) })
                try json.member("files_limited", status?.areFilesLimited)
            }
            try json.endObject()
        }
    }
}
