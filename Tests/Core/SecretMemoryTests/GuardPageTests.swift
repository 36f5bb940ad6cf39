import SecretMemory
import Testing
import TestSupport

/// The system's answer to a process that leaves the bounds of a secret; each test runs in a process of its own.
@Suite("Guarded memory")
struct GuardPageTests {
    @Test("can be read to its last byte, and one byte further ends the process", .endsProcess)
    func readPastEnd() async {
        for (past, isFatal) in [(0, false), (1, true)] {
            await #expect(processExitsWith: isFatal ? .failure : .success) {
                [past = past as Int] in
                CrashReports.turnOff()
                let secret = try SecretBytes(count: 100)
                secret.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { bytes in
                        let last = unsafe bytes.baseAddress.map { unsafe $0 + 99 + past }
                        let byte = unsafe last?.load(as: UInt8.self)
                        #expect(byte == 0)
                    }
                }
            }
        }
    }

    @Test("an overwritten byte before it ends the process with the secret", .endsProcess)
    func writeBeforeStart() async {
        for (offset, isFatal) in [(0, false), (-1, true), (-16, true)] {
            await #expect(processExitsWith: isFatal ? .failure : .success) {
                [offset = offset as Int] in
                CrashReports.turnOff()
                var secret = try SecretBytes(count: 100)
                secret.withMutableBytes { bytes in
                    unsafe bytes.withUnsafeMutableBytes { bytes in
                        let place = unsafe bytes.baseAddress.map { unsafe $0 + offset }
                        let byte = unsafe place?.load(as: UInt8.self)
                        unsafe place?.storeBytes(of: ~(byte ?? 0), as: UInt8.self)
                    }
                }
            }
        }
    }

    #if os(Linux)
        @Test(
            "is out of core dumps while it lives, and gone when it ends", .endsProcess,
            arguments: [1, 32, 70_000])
        func mapping(count: Int) async {
            // In its own process, where no other thread maps memory at the address meanwhile.
            await #expect(processExitsWith: .success) { [count = count as Int] in
                var address: UInt = 0
                do {
                    let secret = try SecretBytes(count: count)
                    address = secret.withBytes {
                        unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                    }
                    let mappings = try MemoryMapping.all()
                    let mapping = try #require(mappings.first { $0.range.contains(address) })
                    #expect(mapping.permissions == "rw-p")
                    #expect(mapping.flags.contains("dd"))
                    // A sanitizer's mlock says yes and does nothing.
                    let isLocked = MemoryLocking.isAvailable && !Sanitizer.isActive
                    #expect(mapping.flags.contains("lo") == isLocked)
                    for neighbour in [mapping.range.lowerBound - 1, mapping.range.upperBound] {
                        let found = mappings.first { $0.range.contains(neighbour) }
                        #expect(found?.permissions == "---p")
                    }
                }
                #expect(!MemoryMapping.isMapped(address))
            }
        }

        @Test("is gone when a pool keeps nothing", .endsProcess)
        func emptyPool() async {
            await #expect(processExitsWith: .success) {
                for (limit, count, isKept) in [(0, 32, false), (1, 32, true), (1, 65, false)] {
                    let pool = SecretBufferPool(bufferSize: 64, limit: limit)
                    let address = try PoolAccess.lend(pool, count) { _ in }
                    #expect(MemoryMapping.isMapped(address) == isKept)
                }
            }
        }

        @Test("is gone with the pool that kept it", .endsProcess)
        func endedPool() async {
            await #expect(processExitsWith: .success) {
                let address = try PoolAccess.lend(SecretBufferPool(bufferSize: 64, limit: 4), 1) {
                    _ in
                }
                #expect(!MemoryMapping.isMapped(address))
            }
        }
    #endif
}
