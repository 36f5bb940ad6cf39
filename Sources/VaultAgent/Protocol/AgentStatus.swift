/// What an agent says of its session.
public struct AgentStatus: Sendable, Hashable {
    /// Whether the vault is unlocked.
    public var isUnlocked: Bool
    /// Whether protected secrets can be read.
    public var isVerified: Bool
    /// Whether the system keeps the agent's keys out of swap.
    public var isMemoryLocked: Bool
    /// Whether this machine could remember the vault's newest state.
    public var isMarkKept: Bool
    /// How long verification lasts if nothing protected is used, in milliseconds.
    public var verificationLeft: UInt64
    /// How long the session lasts if nothing is used, in milliseconds.
    public var idleTimeLeft: UInt64
    /// How long the session lasts at most, in milliseconds.
    public var absoluteTimeLeft: UInt64
    /// The agent's process.
    public var processID: UInt32
}
