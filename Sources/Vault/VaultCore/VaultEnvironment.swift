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
    /// The rollback records of this machine, seen from the place of the vault.
    public var rollbackRecords: any RollbackRecords
    /// Called with the ids of vault and slot after each successful verification.
    public var logVerification: @Sendable (_ vaultID: [UInt8], _ slotID: [UInt8]) -> Void = {
        _, _ in
    }
    /// Called with the name of each secret whose value was read.
    public var logRead: @Sendable (SecretName) -> Void = { _ in }
    /// The secrets to save with the next commit that changes items.
    public var deferredSecrets: @Sendable () -> [DeferredSecret] = { [] }
    /// Whether to open an older or forked vault, and replace the rollback record of its place. Requires the owner's confirmation.
    public var acceptsOlder = false
    /// Whether to open another vault than the one last seen at its place, or one at a place where a vault was destroyed, and replace the
    /// rollback record of the place. Requires the owner's confirmation.
    public var acceptsOther = false
    /// How many links of the newest commits a vault keeps (`Docs/Format.md`, section 6); a test may lower it.
    var keptLinks: UInt64 = 100_000

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - rollbackRecords: ``FileRollbackRecords`` for a program, ``MemoryRollbackRecords`` to keep no rollback records.
    ///   - limits: The accepted derivation costs.
    ///   - random: The source of keys, nonces, salts and ids.
    ///   - now: Milliseconds since 1970-01-01 UTC.
    public init(
        rollbackRecords: any RollbackRecords, limits: KeyDerivationLimits = .standard(),
        random: RandomSource = .system, now: @escaping @Sendable () -> Int64 = Self.systemTime
    ) {
        self.rollbackRecords = rollbackRecords
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
