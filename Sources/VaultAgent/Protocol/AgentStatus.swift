/// The status of an agent's session.
public struct AgentStatus: Sendable, Hashable {
    /// Whether the vault is unlocked.
    public var isUnlocked: Bool
    /// Whether protected secrets can be read.
    public var isVerified: Bool
    /// Whether the system keeps the agent's keys out of swap.
    public var isMemoryLocked: Bool
    /// Whether this machine could store the rollback record of the vault's newest state.
    public var isMarkKept: Bool
    /// How long verification lasts without use of a protected secret, in milliseconds.
    public var verificationLeft: UInt64
    /// How long the session lasts without use, in milliseconds.
    public var idleTimeLeft: UInt64
    /// The maximum remaining time of the session, in milliseconds.
    public var absoluteTimeLeft: UInt64
    /// The process identifier of the agent.
    public var processID: UInt32
}
