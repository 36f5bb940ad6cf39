package import TextCoding
package import VaultAgent

extension AgentStatus {
    /// The remaining time of the verification as text.
    package var verificationText: String {
        TimeSpan(milliseconds: min(verificationLeft, sessionLeft)).text
    }

    /// The remaining time until the idle lock as text.
    package var idleText: String { TimeSpan(milliseconds: sessionLeft).text }

    private var sessionLeft: UInt64 { min(idleTimeLeft, absoluteTimeLeft) }

    /// A line about a new session; `done` is `unlocked` or `verified`.
    package func line(_ done: String) -> String {
        "\(done): protected secrets for \(verificationText), the others for \(idleText)"
    }
}

extension VaultAccess {
    /// Prints a remark about a new session; results go to standard output.
    package func remark(_ done: String, _ status: AgentStatus) {
        warnOfRollbackRecord(status)
        owner.remark(status.line(done))
    }

    /// Warns that the agent could not store this machine's rollback record.
    package func warnOfRollbackRecord(_ status: AgentStatus) {
        guard !status.isRollbackRecordKept else { return }
        owner.warn(
            "rollback_record_not_kept",
            "the agent cannot keep this machine's rollback record: an older copy of the vault would not be detected"
        )
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the members of each session; nil without an agent.
    package mutating func sessionMembers(_ status: AgentStatus?, mayExist: Bool) throws {
        let session = status.flatMap { $0.isUnlocked ? $0 : nil }
        func seconds(_ left: UInt64?) -> UInt64? {
            left.map { TimeSpan(milliseconds: $0).seconds }
        }
        try member("state", session != nil ? "unlocked" : mayExist ? "locked" : "none")
        try member("verified", session?.isVerified ?? false)
        try member("verification_seconds_left", seconds(session?.verificationLeft))
        try member("idle_seconds_left", seconds(session?.idleTimeLeft))
        try member("absolute_seconds_left", seconds(session?.absoluteTimeLeft))
        try member("memory_locked", status?.isMemoryLocked)
        try member("process_id", status?.processID)
    }
}
