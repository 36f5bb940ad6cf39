/// Limits of password guesses. 0 switches a limit off.
public struct GuessLimits: Sendable, Hashable {
    /// The number of wrong passwords within ``period`` for one name from one network, or from a known device.
    public var freeFailures = 5
    /// The number of wrong passwords within ``period`` for one name from all networks; at least ``freeFailures`` applies.
    public var nameFailures = 20
    /// The time for which a wrong password counts.
    public var period: Duration = .seconds(15 * 60)
    /// The number of attempts that one network may make at once, and again within each ``networkPeriod``.
    public var networkAttempts: Int64 = 15
    /// The time in which a network regains all its attempts, evenly.
    public var networkPeriod: Duration = .seconds(60)
    /// The largest number of names, and of networks, with a counter of their own. Further names or networks share counters until others expire.
    public var maximumKeys = 100_000
    /// How long a device is known after a sign-in; at least the lifetime of a session.
    public var knownDeviceLifetime: Duration = .seconds(180 * 24 * 60 * 60)
    /// The number of known devices of an account; beyond it the least recently used ones are removed.
    public var maximumKnownDevices = 16

    /// The default limits.
    public init() {}
}
