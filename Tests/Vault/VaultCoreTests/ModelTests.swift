import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Random operations on the vault and on the store in memory, which must always agree.
@Suite("Random operations")
struct ModelTests {
    @Test(
        "give what the model gives, over several sessions at once", arguments: StorageKind.allCases)
    func operations(kind: StorageKind) throws {
        var random = SeededGenerator()
        let seed = random.seed
        try kind.withStorage { storage in
            try TestVault.create(in: storage)
            let model = MemorySecureStore(now: { 1_000_000 })
            var sessions = try (0..<3).map { _ in try TestVault.unlock(storage) }
            for step in 0..<1_500 {
                let operation = RandomOperation(using: &random)
                let session = Int(random.next() % 3)
                #expect(
                    operation.run(on: sessions[session]) == operation.run(on: model),
                    "seed \(seed), step \(step)")
                if random.next().isMultiple(of: 97) {
                    sessions[session].lock()
                    sessions[session] = try TestVault.unlock(storage)
                }
            }
            for session in sessions {
                #expect(
                    try TestVault.contents(of: session) == TestVault.contents(of: model),
                    "seed \(seed)")
                #expect(try session.check().problems.isEmpty, "seed \(seed)")
            }
        }
    }
}
