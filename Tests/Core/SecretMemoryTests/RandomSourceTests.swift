import SecretMemory
import Synchronization
import Testing
import TestSupport

@Suite("Random sources")
struct RandomSourceTests {
    /// Gives the bytes it was made with, one after the other.
    private final class Script: Sendable {
        private let left: Mutex<[UInt8]>

        init(_ bytes: [UInt8]) {
            left = Mutex(bytes)
        }

        var source: RandomSource {
            RandomSource { span in
                for offset in 0..<span.byteCount {
                    let byte = self.left.withLock { $0.isEmpty ? 0xFF : $0.removeFirst() }
                    span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
                }
            }
        }
    }

    @Test("hands out the bytes of its function, as bytes and as secret")
    func custom() throws {
        let source = Script([UInt8](1...9)).source
        #expect(source.bytes(count: 4) == [1, 2, 3, 4])
        #expect(source.bytes(count: 0) == [])
        #expect(try Samples.bytes(source.secret(count: 5)) == [5, 6, 7, 8, 9])
    }

    @Test("the system's never gives the same twice, and fills every byte")
    func system() throws {
        var seen: Set<[UInt8]> = []
        var union = [UInt8](repeating: 0, count: 16)
        for _ in 0..<5_000 {
            for bytes in [
                RandomSource.system.bytes(count: 16),
                Samples.bytes(try RandomSource.system.secret(count: 16)),
            ] {
                seen.insert(bytes)
                for index in bytes.indices { union[index] |= bytes[index] }
            }
        }
        #expect(seen.count == 10_000)
        #expect(union.allSatisfy { $0 == 0xFF })
    }

    @Test("in blocks gives each byte of its source at most once")
    func buffered() {
        let calls = Mutex(0)
        // Each two bytes are another number.
        let counted = RandomSource { span in
            for offset in stride(from: 0, to: span.byteCount - 1, by: 2) {
                let number = calls.withLock { calls in
                    calls += 1
                    return UInt16(calls)
                }
                span.storeBytes(of: number, toByteOffset: offset, as: UInt16.self)
            }
        }
        let source = counted.buffered()
        var seen: [[UInt8]] = []
        for count in [24, 16, 24, 4_000, 64, 4_096, 2, 6_000, 40] {
            let bytes = source.bytes(count: count)
            for start in stride(from: 0, to: count, by: 2) {
                seen.append(Array(bytes[start..<(start + 2)]))
            }
        }
        #expect(Set(seen).count == seen.count)
        let before = calls.withLock { $0 }
        for _ in 0..<100 { _ = source.bytes(count: 4) }
        #expect(calls.withLock { $0 } == before, "the block still has bytes")
    }

    @Test("numbers below a bound are uniform", arguments: [1, 2, 3, 6, 7, 10, 100] as [UInt32])
    func uniform(bound: UInt32) {
        let source = RandomSource.seeded(UInt64(bound))
        let draws = 2_000 * Double(bound)
        var counts = [Double](repeating: 0, count: Int(bound))
        for _ in 0..<Int(draws) { counts[Int(source.number(below: bound))] += 1 }
        let expected = draws / Double(bound)
        let chiSquare = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
        // Five standard deviations above the mean of bound - 1 degrees of freedom; the seed is fixed.
        let freedom = Double(bound - 1)
        #expect(chiSquare <= freedom + 5 * (2 * freedom).squareRoot())
    }

    /// 2^32 mod bound numbers would come up once more often than the others; they are drawn again.
    @Test("numbers that would make a bias are drawn again")
    func rejection() {
        // 2^32 mod 3 is 1: only 0 is refused.
        #expect(Script([0, 0, 0, 0, 0, 0, 0, 5]).source.number(below: 3) == 2)
        #expect(Script([0, 0, 0, 1, 0, 0, 0, 5]).source.number(below: 3) == 1)
        // 2^32 mod (2^31 + 1) is 2^31 - 1.
        let bound: UInt32 = (1 << 31) + 1
        #expect(
            Script([0x7F, 0xFF, 0xFF, 0xFE, 0x7F, 0xFF, 0xFF, 0xFF]).source.number(below: bound)
                == 0x7FFF_FFFF)
        // A power of two refuses nothing.
        #expect(Script([0, 0, 0, 0, 0, 0, 0, 5]).source.number(below: 8) == 0)
        #expect(Script([0xFF, 0xFF, 0xFF, 0xFF]).source.number(below: .max) == 0)
    }
}
