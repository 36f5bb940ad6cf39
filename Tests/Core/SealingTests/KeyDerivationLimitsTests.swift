@testable import Sealing
import Testing

@Suite("Limits of the derivation cost")
struct KeyDerivationLimitsTests {
    private static let gibibyte: UInt64 = 1 << 30
    private static let passes: [UInt32] = [
        0, 1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1 << 16, 1 << 31, .max,
    ]
    private static let memory: [UInt32] = [
        0, 1, 8, 19_455, 19_456, 65_536, 262_144, 262_145, 1 << 20, 1 << 21, (1 << 21) + 1,
        (1 << 22) - 1, 1 << 22, (1 << 22) + 1, 1 << 31, .max,
    ]

    /// `Docs/Format.md`, section 4, in the words of that page and in bytes.
    @Test("are those of the format", arguments: [4, 8, 16, 64] as [UInt64])
    func grid(machine: UInt64) throws {
        let limits = KeyDerivationLimits.standard(machineMemory: machine * Self.gibibyte)
        var counts = [0, 0, 0]
        for passes in Self.passes {
            for memory in Self.memory {
                let bytes = UInt64(memory) * 1_024
                let (product, overflows) = bytes.multipliedReportingOverflow(by: UInt64(passes))
                let expected: SealingError?
                if passes < 2 || memory < 19_456 {
                    expected = .costTooLow
                } else if passes > 64 || bytes > 4 * Self.gibibyte
                    || bytes > machine * Self.gibibyte / 2 || overflows
                    || product > 16 * Self.gibibyte
                {
                    expected = .costTooHigh
                } else {
                    expected = nil
                }
                #expect(
                    try Self.refusal(passes, memory, limits) == expected,
                    "\(passes) passes, \(memory) KiB")
                counts[expected == nil ? 0 : expected == .costTooLow ? 1 : 2] += 1
            }
        }
        #expect(counts.allSatisfy { $0 > 0 })
    }

    @Test("accept the standard cost, and for tests the least that libsodium derives with")
    func named() throws {
        let limits = KeyDerivationLimits.standard()
        #expect(try Self.refusal(3, 262_144, limits) == nil)
        #expect(KeyDerivationCost.standard == KeyDerivationCost(passes: 3, memoryKiB: 262_144))
        #expect(try Self.refusal(1, 8, .testing) == nil)
        #expect(try Self.refusal(1, 7, .testing) == .costTooLow)
        #expect(try Self.refusal(0, 8, .testing) == .costTooLow)
        #expect(try Self.refusal(65, 8, .testing) == .costTooHigh)
    }

    @Test("a machine that does not know its memory derives nothing")
    func unknownMachine() throws {
        let limits = KeyDerivationLimits.standard(machineMemory: 0)
        #expect(try Self.refusal(3, 262_144, limits) == .costTooHigh)
    }

    @Test("a cost is lower if one of its parts is")
    func order() {
        let cost = KeyDerivationCost(passes: 3, memoryKiB: 64)
        #expect(!cost.isLower(than: cost))
        #expect(KeyDerivationCost(passes: 2, memoryKiB: 128).isLower(than: cost))
        #expect(KeyDerivationCost(passes: 4, memoryKiB: 63).isLower(than: cost))
        #expect(!KeyDerivationCost(passes: 4, memoryKiB: 64).isLower(than: cost))
    }

    private static func refusal(
        _ passes: UInt32, _ memory: UInt32, _ limits: KeyDerivationLimits
    ) throws -> SealingError? {
        do {
            try limits.check(KeyDerivationCost(passes: passes, memoryKiB: memory))
            return nil
        } catch let error as SealingError {
            return error
        }
    }
}
