@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Padding")
struct PaddingTests {
    @Test(
        "has the sizes of the format",
        arguments: [
            (0, 64), (1, 64), (59, 64), (60, 64), (61, 128), (123, 128), (124, 128), (125, 256),
            (252, 256), (253, 512), (508, 512), (509, 1_024), (1_020, 1_024), (1_021, 2_048),
            (2_044, 2_048), (2_045, 4_096), (4_092, 4_096), (4_093, 4_352), (4_348, 4_352),
            (4_349, 4_608), (8_188, 8_192), (8_189, 8_704), (16_380, 16_384), (16_381, 17_408),
            (65_532, 65_536), (65_533, 67_584), (1_048_576, 1_081_344),
        ])
    func boundaries(size: Int, padded: Int) {
        #expect(Padding.paddedSize(forDataOf: size) == padded)
    }

    @Test("is never too small, grows with the size, and is its own padded size")
    func sizes() {
        var generator = SeededGenerator(seed: 0x9AD)
        let random = (0..<10_000).map { _ in Int.random(in: 0...1_200_000, using: &generator) }
        var last = 0
        for size in (Array(0..<20_000) + random).sorted() {
            let padded = Padding.paddedSize(forDataOf: size)
            #expect(padded >= size + Padding.prefixSize)
            #expect(padded >= last)
            #expect(Padding.paddedSize(forDataOf: padded - Padding.prefixSize) == padded)
            if size + Padding.prefixSize > 4_096 {
                #expect(Double(padded) <= Double(size + Padding.prefixSize) * 1.12)
            }
            last = padded
        }
    }

    @Test("tells sizes of 1 to 4,096 bytes apart by at most 16 sizes, whatever the content")
    func distinctSizes() throws {
        let key = try AttributeKey.random(from: .seeded(3))
        let context = SealContext(.attributes, vaultID: [UInt8](repeating: 1, count: 16))
        var generator = SeededGenerator(seed: 4)
        var sizes: Set<Int> = []
        for size in stride(from: 1, through: 4_096, by: 5) {
            let plain = [UInt8](repeating: 0x61, count: size)
            let mixed = generator.bytes(count: size)
            let blobs = try [plain, mixed].map { data in
                try Sealing.sealPadded(
                    unsafe data.span.bytes, under: key, context, random: .system)
            }
            #expect(blobs[0].count == blobs[1].count)
            sizes.insert(blobs[0].count)
        }
        for size in 1...4_096 {
            sizes.insert(Padding.paddedSize(forDataOf: size) + Sealing.overhead)
        }
        #expect(sizes.count <= 16)
        #expect(sizes.count >= 4, "the sizes differ at all")
    }

    @Test("gives back what was put in", arguments: [0, 1, 59, 60, 61, 4_092, 4_093, 70_000])
    func roundTrip(size: Int) throws {
        let data = [UInt8](repeating: 0xA5, count: size)
        let padded = try Self.padded(data)
        #expect(Array(padded[..<4]) == (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
        #expect(Array(padded[4..<(4 + size)]) == data)
        #expect(padded[(4 + size)...].allSatisfy { $0 == 0 })
        #expect(Self.size(in: padded) == size)
    }

    @Test("reads one size and one filler only", arguments: [0, 1, 60, 61, 4_093])
    func refusals(size: Int) throws {
        let sound = try Self.padded([UInt8](repeating: 7, count: size))
        #expect(Self.size(in: sound) == size)
        for cut in [0, 1, 3, 4, sound.count - 1] {
            #expect(Self.size(in: Array(sound[..<cut])) == nil)
        }
        #expect(Self.size(in: sound + [0]) == nil)
        let next = Padding.paddedSize(forDataOf: sound.count)
        #expect(Self.size(in: sound + [UInt8](repeating: 0, count: next - sound.count)) == nil)
        for offset in (4 + size)..<sound.count {
            var changed = sound
            changed[offset] = 0x80
            #expect(Self.size(in: changed) == nil)
        }
        for length in [sound.count - 3, sound.count, Int(UInt32.max), 1 << 31, Int(UInt32.max) - 3]
        {
            var changed = sound
            for index in 0..<4 { changed[index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
            #expect(Self.size(in: changed) == nil)
        }
    }

    private static func padded(_ data: [UInt8]) throws -> [UInt8] {
        var buffer = try SecretBytes(count: Padding.paddedSize(forDataOf: data.count))
        buffer.withMutableBytes { Padding.fill(&$0, with: unsafe data.span.bytes) }
        return Samples.bytes(buffer)
    }

    private static func size(in padded: [UInt8]) -> Int? {
        Padding.dataSize(in: unsafe padded.span.bytes)
    }
}
