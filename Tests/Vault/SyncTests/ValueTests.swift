import SecretMemory
import SecureStorage
@testable import Sync
import Testing
import TestSupport

@Suite("Values of sync")
struct ValueTests {
    private let random = RandomSource.seeded(7)

    @Test("ids are ordered as byte strings, and read from hexadecimal digits of their size alone")
    func ids() throws {
        let low = try #require(DeviceID([UInt8](repeating: 0, count: 15) + [255]))
        let high = try #require(DeviceID([1] + [UInt8](repeating: 0, count: 15)))
        #expect(low < high)
        #expect(DeviceID(text: high.text) == high)
        for text in ["", "00", high.text + "00", high.text.uppercased() + "g"] {
            #expect(DeviceID(text: text) == nil)
        }
        #expect(DeviceID([UInt8](repeating: 0, count: 17)) == nil)
    }

    @Test(
        "a clock never gives an earlier stamp, also after one from the future and after a restart with an earlier clock"
    )
    func clock() throws {
        var clock = HybridClock()
        let first = try clock.next(at: 1_000)
        #expect(first == 1_000 << 16)
        #expect(try clock.next(at: 1_000) == first + 1)
        #expect(try clock.next(at: 2_000) == 2_000 << 16)
        #expect(try clock.next(at: -5) == 2_000 << 16 + 1)
        clock.see(9_000 << 16 + 7)
        #expect(try clock.next(at: 3_000) == 9_000 << 16 + 8)
        clock = HybridClock(last: clock.last)
        #expect(try clock.next(at: 10) == 9_000 << 16 + 9)
    }

    @Test("a counter that is full continues in the next millisecond")
    func counter() throws {
        var clock = HybridClock(last: 5 << 16 + 0xFFFF)
        #expect(try clock.next(at: 5) == 6 << 16)
    }

    @Test("a clock with no later stamp is an error, and no stamp is read from there on")
    func exhausted() throws {
        var clock = HybridClock(last: Stamp.limit - 2)
        #expect(try clock.next(at: 0) == Stamp.limit - 1)
        #expect(throws: SyncError.clockExhausted) { try clock.next(at: 0) }
        var writer = ByteWriter()
        writer.stamp(Stamp(clock: Stamp.limit, device: .zero))
        #expect(ByteReader.reading(writer.bytes) { $0.stamp() } == nil)
    }

    @Test(
        "a wall clock outside the stamps gives the nearest one",
        arguments: [Int64.min, -1, 0, .max])
    func clamped(now: Int64) {
        let stamp = Stamp(milliseconds: now, device: .zero)
        #expect(stamp.milliseconds == (now == .max ? Int64(Stamp.wallLimit >> 16) - 1 : 0))
    }

    @Test("vectors and heads are read in one encoding only")
    func canonical() throws {
        let devices = (0..<3).map { _ in DeviceID.random(from: random) }.sorted()
        var vector = VersionVector()
        var heads: Heads = [:]
        for (index, device) in devices.enumerated() {
            vector[device] = UInt64(index + 1)
            heads[device] = Head(number: UInt64(index + 1), hash: random.bytes(count: 32))
        }
        var writer = ByteWriter()
        writer.vector(vector)
        #expect(ByteReader.reading(writer.bytes) { $0.vector() } == vector)
        // Two entries in another order, one of them twice, or a number of 0.
        let entries = stride(from: 4, to: 76, by: 24).map { Array(writer.bytes[$0..<($0 + 24)]) }
        for wrong in [[1, 0, 2], [0, 0, 1]] {
            let bytes = Array(writer.bytes[..<4]) + wrong.flatMap { entries[$0] }
            #expect(ByteReader.reading(bytes) { $0.vector() } == nil)
        }
        var zero = writer.bytes
        zero[20] = 0
        #expect(ByteReader.reading(zero) { $0.vector() } == nil)
        writer = ByteWriter()
        writer.heads(heads)
        #expect(ByteReader.reading(writer.bytes) { $0.heads() } == heads)
        #expect(ByteReader.reading(Array(writer.bytes.dropLast())) { $0.heads() } == nil)
    }

    @Test("a position always fits between two others, and two devices never make the same one")
    func positions() throws {
        var generator = SeededGenerator(seed: 3)
        var positions: [Position] = []
        for number in 0..<2_000 {
            let device = DeviceID.random(from: random)
            let stamp = Stamp(clock: UInt64(number + 1), device: device)
            // Often at the same place, where digits run out first.
            let place =
                number % 3 == 0
                ? Int.random(in: 0...positions.count, using: &generator) : min(1, positions.count)
            let lower = place > 0 ? positions[place - 1] : nil
            let upper = place < positions.count ? positions[place] : nil
            let new = Position.between(lower, upper, stamp: stamp)
            #expect(lower.map { $0 < new } ?? true)
            #expect(upper.map { new < $0 } ?? true)
            #expect(Position(new.bytes) == new)
            let other = Position.between(
                lower, upper, stamp: Stamp(clock: UInt64(number + 1), device: .zero))
            #expect(other != new)
            positions.insert(new, at: place)
        }
        #expect(positions == positions.sorted())
        #expect(Position([]) == nil)
    }
}
