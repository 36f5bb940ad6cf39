import SecretMemory
import Testing
import TestSupport

@Suite("SecretBytes")
struct SecretBytesTests {
    @Test("starts as zeros of the size asked for", arguments: [0, 1, 31, 4_096, 70_000])
    func zeros(count: Int) throws {
        let secret = try SecretBytes(count: count)
        #expect(secret.count == count)
        #expect(Samples.bytes(secret) == [UInt8](repeating: 0, count: count))
    }

    @Test(
        "holds what it was made from, and what was changed in it", arguments: Samples.values.indices
    )
    func content(index: Int) throws {
        let value = Samples.values[index]
        var secret = try Samples.secret(value)
        #expect(secret.count == value.count)
        #expect(Samples.bytes(secret) == value)
        let copy = try secret.copy()
        secret.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount {
                let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                bytes.storeBytes(of: ~byte, toByteOffset: offset, as: UInt8.self)
            }
        }
        #expect(Samples.bytes(secret) == value.map(~))
        #expect(Samples.bytes(copy) == value, "a copy has a life of its own")
    }

    @Test("passes on what the body returns or throws")
    func passesOn() throws {
        struct Refusal: Error {}
        var secret = try SecretBytes(count: 3)
        #expect(secret.withBytes { $0.byteCount } == 3)
        #expect(throws: Refusal.self) {
            try secret.withMutableBytes { (_) throws(Refusal) in throw Refusal() }
        }
    }

    @Test("is equal to the same bytes only")
    func equality() throws {
        let bytes = [UInt8](1...40)
        let secret = try Samples.secret(bytes)
        #expect(try secret.isEqual(to: Samples.secret(bytes)))
        #expect(try !secret.isEqual(to: Samples.secret(bytes + [0])))
        #expect(try !secret.isEqual(to: Samples.secret(Array(bytes.dropLast()))))
        #expect(try !secret.isEqual(to: SecretBytes(count: 0)))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(try !secret.isEqual(to: Samples.secret(other)))
        }
        #expect(try SecretBytes(count: 0).isEqual(to: SecretBytes(count: 0)))
    }

    @Test("copies a part of itself", arguments: [(0, 40), (0, 0), (5, 20), (39, 1), (40, 0)])
    func part(offset: Int, count: Int) throws {
        let bytes = [UInt8](1...40)
        let secret = try Samples.secret(bytes)
        let part = try secret.copy(from: offset, count: count)
        #expect(Samples.bytes(part) == Array(bytes[offset..<(offset + count)]))
        #expect(Samples.bytes(secret) == bytes)
    }

    @Test(
        "keeps a part of itself and wipes the rest",
        arguments: [(0, 40), (0, 0), (0, 13), (5, 20), (39, 1), (40, 0), (20, 20), (1, 39)])
    func keep(offset: Int, count: Int) throws {
        let bytes = [UInt8](1...40)
        var secret = try Samples.secret(bytes)
        let address = secret.withBytes {
            unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        secret.keep(from: offset, count: count)
        #expect(secret.count == count)
        #expect(Samples.bytes(secret) == Array(bytes[offset..<(offset + count)]))
        let whole = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: address), count: 40)
        #expect(unsafe whole[count...].allSatisfy { $0 == 0 })
    }
}
