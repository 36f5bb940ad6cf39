internal import Platform
public import Sealing
public import SecretMemory
public import SecureStorage

/// The dependencies of a vault: limits, randomness, the time, and rollback records.
public struct VaultEnvironment: Sendable {
    /// The accepted derivation costs.
    public var limits: KeyDerivationLimits
    /// The source of keys, nonces, salts and ids.
    public var random: RandomSource
    /// Milliseconds since 1970-01-01 UTC, for the times of items.
    public var now: @Sendable () -> Int64
    /// The rollback records of this machine, for the place of the vault.
    public var marks: any RollbackRecords
    /// Gets the ids of vault and slot after each successful verification.
    public var noteUse: @Sendable (_ vaultID: [UInt8], _ slotID: [UInt8]) -> Void = { _, _ in }
    /// Gets the name of each secret whose value was read.
    public var noteRead: @Sendable (SecretName) -> Void = { _ in }
    /// What joins the next commit that changes items.
    public var joining: @Sendable () -> [JoinedSecret] = { [] }
    /// Whether to accept an older or forked vault when it is opened, and reset the record of its place to it. Requires the owner's
    /// confirmation.
    public var acceptsOlder = false
    /// Whether to accept another vault than the one last seen at its place, or one where a vault was destroyed, and reset the record of
    /// the place to it. Requires the owner's confirmation.
    public var acceptsOther = false
    /// How many links of the newest commits a vault keeps (`Docs/Format.md`, section 6); a test may lower it.
    var keptLinks: UInt64 = 100_000

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - marks: ``FileRollbackRecords`` for a program, ``MemoryRollbackRecords`` to keep no rollback records.
    ///   - limits: The accepted derivation costs.
    ///   - random: The source of keys, nonces, salts and ids.
    ///   - now: Milliseconds since 1970-01-01 UTC.
    public init(
        marks: any RollbackRecords, limits: KeyDerivationLimits = .standard(),
        random: RandomSource = .system, now: @escaping @Sendable () -> Int64 = Self.systemTime
    ) {
        self.marks = marks
        self.limits = limits
        self.random = random
        self.now = now
    }

    /// The wall clock by `clock_gettime`, in milliseconds.
    public static func systemTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
