internal import Platform
public import Sealing
public import SecretMemory

/// What a vault takes from outside: limits, randomness, the time, and the memory of the newest state seen.
public struct VaultEnvironment: Sendable {
    /// The derivation costs that are accepted.
    public var limits: KeyDerivationLimits
    /// Keys, nonces, salts and ids.
    public var random: RandomSource
    /// Milliseconds since 1970-01-01 UTC, for the times of items.
    public var now: @Sendable () -> Int64
    /// Where this machine remembers the newest state of each vault.
    public var marks: any RollbackMarks
    /// Whether a vault older than its mark is accepted; the mark is then set to it. The owner has to confirm that.
    public var acceptsOlder = false

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - marks: ``FileRollbackMarks`` for a program, ``MemoryRollbackMarks`` where nothing is to be remembered.
    ///   - limits: The derivation costs that are accepted.
    ///   - random: Keys, nonces, salts and ids.
    ///   - now: Milliseconds since 1970-01-01 UTC.
    public init(
        marks: any RollbackMarks, limits: KeyDerivationLimits = .standard(),
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
