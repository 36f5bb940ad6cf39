@testable import SecretMemory
import Testing
import TestSupport

@Suite("InaccessibleSecret")
struct InaccessibleSecretTests {
    @Test("gives copies of what it was made from", arguments: [false, true])
    func copies(isGuardedOnly: Bool) throws {
        for value in Samples.values {
            let secret = try Samples.secret(value)
            let closed = try secret.withBytes { bytes in
                try InaccessibleSecret(copying: bytes, guardedOnly: isGuardedOnly)
            }
            for _ in 0..<2 { #expect(try Samples.bytes(closed.copy()) == value) }
        }
    }

    #if os(Linux)
        @Test("has no page that can be read", arguments: [false, true])
        func rights(isGuardedOnly: Bool) throws {
            let secret = try Samples.secret(Array("at rest".utf8))
            let closed = try secret.withBytes { bytes in
                try InaccessibleSecret(copying: bytes, guardedOnly: isGuardedOnly)
            }
            func permissions() throws -> String? {
                try MemoryMapping.all().first { $0.range.contains(closed.address) }?.permissions
            }
            let expected = ["---p", "---s"]
            #expect(try expected.contains(#require(try permissions())))
            _ = try closed.copy()
            #expect(try expected.contains(#require(try permissions())))
        }
    #endif
}
