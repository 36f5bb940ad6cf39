/// The cost of one Argon2id derivation.
public struct KeyDerivationCost: Sendable, Hashable {
    /// The number of passes over the memory.
    public let passes: UInt32
    /// The memory, in KiB.
    public let memoryKiB: UInt32

    /// Creates a cost; ``KeyDerivationLimits`` checks it.
    public init(passes: UInt32, memoryKiB: UInt32) {
        self.passes = passes
        self.memoryKiB = memoryKiB
    }

    /// The cost for a new vault: 3 passes over 256 MiB.
    public static let standard = KeyDerivationCost(passes: 3, memoryKiB: 256 * 1_024)

    /// Whether passes or memory of this cost are below those of `other`.
    public func isLower(than other: KeyDerivationCost) -> Bool {
        passes < other.passes || memoryKiB < other.memoryKiB
    }
}
