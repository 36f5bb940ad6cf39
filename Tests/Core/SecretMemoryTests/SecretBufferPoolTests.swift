import Foundation
import SecretMemory
import Synchronization
import Testing
import TestSupport

/// A pool's buffers by address.
enum PoolAccess {
    /// Borrows a buffer and tells where it was.
    static func lend(
        _ pool: SecretBufferPool, _ count: Int, _ body: (inout SecretBytes) throws -> Void
    ) throws -> UInt {
        try pool.withBuffer(count: count) { buffer in
            let address = Self.address(of: buffer)
            try body(&buffer)
            return address
        }
    }

    /// Where a secret is.
    static func address(of secret: borrowing SecretBytes) -> UInt {
        secret.withBytes { unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
    }

    /// The bytes at an address that a pool keeps.
    static func bytes(at address: UInt, count: Int) -> [UInt8] {
        unsafe Array(
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count))
    }
}

@Suite("A pool of buffers")
struct SecretBufferPoolTests {
    private struct Refusal: Error {}

    private static func fill(_ buffer: inout SecretBytes, with byte: UInt8) {
        buffer.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount {
                bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    @Test("lends zeros of the size asked for, whatever was there before")
    func zeros() throws {
        let pool = SecretBufferPool(bufferSize: 64, limit: 2)
        for count in [64, 1, 0, 63, 64, 65, 5_000, 64] {
            _ = try PoolAccess.lend(pool, count) { buffer in
                #expect(buffer.count == count)
                #expect(Samples.bytes(buffer) == [UInt8](repeating: 0, count: count))
                Self.fill(&buffer, with: 0xEE)
            }
        }
    }

    @Test("lends a buffer again, wiped when it came back, also after an error")
    func wiped() throws {
        let pool = SecretBufferPool(bufferSize: 64, limit: 1)
        var address: UInt = 0
        let first = try PoolAccess.lend(pool, 64) { buffer in
            Self.fill(&buffer, with: 0xEE)
            address = PoolAccess.address(of: buffer)
            #expect(PoolAccess.bytes(at: address, count: 64).allSatisfy { $0 == 0xEE })
        }
        #expect(first == address)
        #expect(PoolAccess.bytes(at: address, count: 64).allSatisfy { $0 == 0 })
        #expect(throws: Refusal.self) {
            _ = try PoolAccess.lend(pool, 40) { buffer in
                #expect(PoolAccess.address(of: buffer) == address)
                Self.fill(&buffer, with: 0xEE)
                throw Refusal()
            }
        }
        #expect(PoolAccess.bytes(at: address, count: 64).allSatisfy { $0 == 0 })
        let shortened = try PoolAccess.lend(pool, 64) { buffer in
            Self.fill(&buffer, with: 0xEE)
            buffer.keep(from: 10, count: 5)
        }
        #expect(shortened == address)
        #expect(PoolAccess.bytes(at: address, count: 64).allSatisfy { $0 == 0 })
    }

    @Test("never lends a buffer to two at once")
    func nested() throws {
        let pool = SecretBufferPool(bufferSize: 64, limit: 2)
        let outer = try PoolAccess.lend(pool, 8) { first in
            Self.fill(&first, with: 1)
            let other = try PoolAccess.lend(pool, 8) { second in Self.fill(&second, with: 2) }
            #expect(other != PoolAccess.address(of: first))
            #expect(Samples.bytes(first) == [UInt8](repeating: 1, count: 8))
        }
        // Both came back; the last one is lent first.
        #expect(try PoolAccess.lend(pool, 8) { _ in } == outer)
    }

    @Test("serves eight threads at once")
    func threads() {
        let pool = SecretBufferPool(bufferSize: 64, limit: 3)
        let faults = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let byte = UInt8(thread * 16 + round % 16 + 1)
                do {
                    _ = try PoolAccess.lend(pool, 32) { buffer in
                        if !Samples.bytes(buffer).allSatisfy({ $0 == 0 }) {
                            faults.add(1, ordering: .relaxed)
                        }
                        Self.fill(&buffer, with: byte)
                        if !Samples.bytes(buffer).allSatisfy({ $0 == byte }) {
                            faults.add(1, ordering: .relaxed)
                        }
                    }
                } catch {
                    faults.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(faults.load(ordering: .relaxed) == 0)
    }

    @Test("reports exhausted memory")
    func outOfMemory() {
        let pool = SecretBufferPool(bufferSize: 64, limit: 1)
        #expect(throws: SecretMemoryError.outOfMemory) {
            try pool.withBuffer(count: .max / 2) { _ in }
        }
        #expect(throws: SecretMemoryError.outOfMemory) { _ = try SecretBytes(count: .max / 2) }
    }
}
