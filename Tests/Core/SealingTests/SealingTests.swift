@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Sealing")
struct SealingTests {
    /// The parts of a context; each field can be changed alone.
    private struct Fields {
        var purpose = SealContext.Purpose.value
        var vaultID = [UInt8](0x10..<0x20)
        var id = [UInt8](0x20..<0x30)
        var accessClass: UInt8 = 2
        var revision: UInt64 = 0x0102_0304_0506_0708
        var part: UInt8 = 9
        var headerHash: [UInt8] = []

        var context: SealContext {
            SealContext(
                purpose, vaultID: vaultID, id: id, accessClass: accessClass, revision: revision,
                part: part, headerHash: headerHash)
        }
    }

    private static let plaintext = Array("what is sealed".utf8)

    @Test("contexts have the bytes of the format")
    func contextBytes() throws {
        let start = "54564144 04 02000000 101112131415161718191a1b1c1d1e1f"
        let id = "202122232425262728292a2b2c2d2e2f"
        let rest = "02 0807060504030201 09"
        var fields = Fields()
        #expect(Self.bytes(fields.context) == HexBytes.bytes(of: "\(start) \(id) \(rest)"))
        let minimal = SealContext(.slotPair, vaultID: fields.vaultID)
        let zeros = String(repeating: "0", count: 52)
        #expect(
            Self.bytes(minimal)
                == HexBytes.bytes(
                    of: start.replacing(" 04 ", with: " 01 ", maxReplacements: 1) + zeros))
        fields.headerHash = [UInt8](0x40..<0x60)
        #expect(
            Self.bytes(fields.context)
                == HexBytes.bytes(of: "\(start) \(id) \(rest)").map { $0 + fields.headerHash })
        let purposes: [SealContext.Purpose] = [
            .slotPair, .wrappedKey, .attributes, .value, .bucket, .state, .slotKey,
        ]
        #expect(purposes.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test("opens with its own context and with no other")
    func everyField() throws {
        let key = try ValueKey.random(from: .system)
        for headerHash in [[], [UInt8](0x40..<0x60)] {
            var own = Fields()
            own.headerHash = headerHash
            let blob = Self.seal(Self.plaintext, key, own.context)
            #expect(Self.open(blob, key, own.context) == Self.plaintext)
            for (index, other) in Self.variants(of: own).enumerated() {
                #expect(Self.open(blob, key, other.context) == nil, "variant \(index)")
            }
        }
    }

    /// One for each byte of each field, and for a hash that is there or not.
    private static func variants(of own: Fields) -> [Fields] {
        var variants: [Fields] = []
        func add(_ change: (inout Fields) -> Void) {
            var fields = own
            change(&fields)
            variants.append(fields)
        }
        for purpose in 1...7 where purpose != own.purpose.rawValue {
            add { $0.purpose = SealContext.Purpose(rawValue: UInt8(purpose)) ?? own.purpose }
        }
        for index in 0..<16 {
            add { $0.vaultID[index] ^= 1 }
            add { $0.id[index] ^= 1 }
        }
        for index in own.headerHash.indices { add { $0.headerHash[index] ^= 1 } }
        for bit in 0..<8 {
            add { $0.accessClass ^= 1 << UInt8(bit) }
            add { $0.part ^= 1 << UInt8(bit) }
        }
        for bit in 0..<64 { add { $0.revision ^= 1 << UInt64(bit) } }
        add { $0.id = [] }
        add { $0.headerHash = own.headerHash.isEmpty ? [UInt8](repeating: 0, count: 32) : [] }
        add { swap(&$0.vaultID, &$0.id) }
        return variants
    }

    @Test("opens neither with a changed bit, nor cut, nor longer, nor under another key")
    func changedBlob() throws {
        let key = try ValueKey.random(from: .system)
        let context = Fields().context
        let blob = Self.seal(Self.plaintext, key, context)
        #expect(blob.count == Self.plaintext.count + Sealing.overhead)
        for bit in 0..<(blob.count * 8) {
            var changed = blob
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(Self.open(changed, key, context) == nil)
        }
        for count in 0..<blob.count {
            #expect(Self.open(Array(blob[..<count]), key, context) == nil)
        }
        #expect(Self.open(blob + [0], key, context) == nil)
        #expect(Self.open(blob, try ValueKey.random(from: .system), context) == nil)
        #expect(Self.open(blob, key, context) == Self.plaintext)
    }

    @Test("leaves zeros in the buffer of what does not open, and refuses one of another size")
    func buffer() throws {
        let key = try ValueKey.random(from: .system)
        var blob = Self.seal(Self.plaintext, key, Fields().context)
        var large = try SecretBytes(count: Self.plaintext.count + 1)
        #expect(throws: SealingError.doesNotOpen) {
            try Sealing.open(blob, under: key, Fields().context, into: &large)
        }
        blob[30] ^= 1
        var buffer = try Samples.secret([UInt8](repeating: 0xA5, count: Self.plaintext.count))
        #expect(throws: SealingError.doesNotOpen) {
            try Sealing.open(blob, under: key, Fields().context, into: &buffer)
        }
        #expect(Samples.bytes(buffer).allSatisfy { $0 == 0 })
    }

    @Test("padded data comes back; another padding is named")
    func padded() throws {
        let key = try ValueKey.random(from: .system)
        let context = Fields().context
        for data in Samples.values {
            let blob = try Sealing.sealPadded(
                unsafe data.span.bytes, under: key, context, random: .system)
            let opened = try Sealing.withOpenedPadded(
                blob, under: key, context
            ) { Samples.bytes($0) }
            #expect(opened == data)
        }
        // Sealed well, but not padded.
        for plaintext in [[], [0, 0, 0], [0, 0, 0, 0], [UInt8](repeating: 0, count: 65)] {
            let blob = Self.seal(plaintext, key, context)
            #expect(throws: SealingError.padding) {
                try Sealing.withOpenedPadded(blob, under: key, context) { _ in }
            }
        }
        #expect(throws: SealingError.doesNotOpen) {
            try Sealing.withOpenedPadded(
                [UInt8](repeating: 0, count: 39), under: key, context
            ) { _ in }
        }
    }

    @Test("100,000 seals have as many nonces, from the source that it was given")
    func nonces() throws {
        let key = try ValueKey.random(from: .system)
        let context = Fields().context
        func distinct(_ count: Int, _ random: RandomSource) -> Set<[UInt8]> {
            var seen: Set<[UInt8]> = []
            for _ in 0..<count {
                let empty: [UInt8] = []
                let blob = Sealing.seal(
                    unsafe empty.span.bytes, under: key, context, random: random)
                seen.insert(Array(blob[..<Sealing.nonceSize]))
            }
            return seen
        }
        let nonces = distinct(100_000, .system)
        #expect(nonces.count == 100_000)
        // So many would differ by luck, often enough, if only four bytes were random.
        for position in 0..<Sealing.nonceSize {
            #expect(Set(nonces.prefix(10_000).map { $0[position] }).count == 256)
        }
        // The count sees a source that repeats itself.
        let constant = RandomSource { span in
            for offset in 0..<span.byteCount {
                span.storeBytes(of: 4, toByteOffset: offset, as: UInt8.self)
            }
        }
        #expect(distinct(100, constant).count == 1)
    }

    private static func bytes(_ context: SealContext) -> [UInt8] {
        unsafe context.withUnsafeBytes { unsafe Array($0) }
    }

    private static func seal(
        _ plaintext: [UInt8], _ key: borrowing ValueKey, _ context: SealContext
    ) -> [UInt8] {
        Sealing.seal(unsafe plaintext.span.bytes, under: key, context, random: .system)
    }

    private static func open(
        _ blob: [UInt8], _ key: borrowing ValueKey, _ context: SealContext
    ) -> [UInt8]? {
        do {
            var buffer = try SecretBytes(count: max(0, blob.count - Sealing.overhead))
            try Sealing.open(blob, under: key, context, into: &buffer)
            return Samples.bytes(buffer)
        } catch {
            return nil
        }
    }
}
