internal import Platform

/// The accepted costs, for files and user input; checked before any derivation.
public struct KeyDerivationLimits: Sendable {
    private let floor: KeyDerivationCost
    private let maximumMemoryKiB: UInt64
    private let maximumPasses: UInt32 = 64
    private let maximumProductKiB: UInt64 = 16 * 1_024 * 1_024

    /// The limits for a machine with this much memory, in bytes.
    ///
    /// At least 2 passes over 19 MiB (the minimum of OWASP's password storage cheat sheet); at most 64 passes, 4 GiB, half of the
    /// machine's memory, and 16 GiB for passes × memory.
    public static func standard(machineMemory: UInt64 = Self.machineMemory) -> KeyDerivationLimits {
        KeyDerivationLimits(
            floor: KeyDerivationCost(passes: 2, memoryKiB: 19 * 1_024),
            maximumMemoryKiB: min(4 * 1_024 * 1_024, machineMemory / 2_048))
    }

    /// The limits without a minimum, for tests. No file and no option selects them.
    package static let testing = KeyDerivationLimits(
        floor: KeyDerivationCost(passes: 1, memoryKiB: 8),
        maximumMemoryKiB: min(4 * 1_024 * 1_024, machineMemory / 2_048))

    /// The machine's memory in bytes, by `sysconf`.
    public static var machineMemory: UInt64 {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        return pages > 0 && pageSize > 0 ? UInt64(pages) * UInt64(pageSize) : 0
    }

    /// Checks a cost.
    ///
    /// - Throws: `SealingError.costTooLow` or `costTooHigh`.
    public func check(_ cost: KeyDerivationCost) throws {
        if cost.isLower(than: floor) { throw SealingError.costTooLow }
        if cost.passes > maximumPasses || UInt64(cost.memoryKiB) > maximumMemoryKiB
            || UInt64(cost.memoryKiB) * UInt64(cost.passes) > maximumProductKiB
        {
            throw SealingError.costTooHigh
        }
    }
}
