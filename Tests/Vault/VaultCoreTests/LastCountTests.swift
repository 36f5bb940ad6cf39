import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The format counts changes of a vault and of a secret. Nobody gets to the end by changing, so that it says so is tried from there.
@Suite("A vault whose counts are at their end")
struct LastCountTests {
    private static let end = SecureStoreError(VaultError.counterExhausted)

    @Test("is sound and can be read, and keeps all of it when it refuses a change")
    func vault() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        try TestVault.fill(TestVault.unlock(storage), count: 3)
        let largest = LinkRecord.largestCounter
        // Only a few links are made for the counters that are passed over.
        var few = TestVault.environment()
        few.keptLinks = 10
        try TestVault.authenticate(storage, few).startLineage(above: largest - 2)

        let vault = try TestVault.unlock(storage, few)
        try vault.save(Samples.one(), as: TestVault.name(3), .init())
        let contents = try TestVault.contents(of: vault)
        #expect(throws: Self.end) {
            try vault.save(Samples.one(), as: TestVault.name(4), .init())
        }
        #expect(throws: Self.end) { try vault.update(TestVault.name(0), to: Samples.two()) }
        #expect(throws: Self.end) { try vault.remove(TestVault.name(0)) }
        #expect(throws: VaultError.counterExhausted) {
            try TestVault.authenticate(storage).startLineage(above: largest)
        }

        for vault in [vault, try TestVault.unlock(storage, few)] {
            #expect(try TestVault.contents(of: vault) == contents)
            #expect(try vault.check().problems.isEmpty)
        }
    }

    @Test("is sound where it is a secret's, which can be read and removed, and not changed")
    func secret() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage)
        let vault = try TestVault.unlock(storage)
        let name = try TestVault.name(0)
        try vault.save(Samples.one(), as: name, .init())
        // The same secret, sealed as changed once less often than the format has.
        try vault.use { session in
            try session.write { changes in
                let row = try changes.existing(name, expecting: 1)
                let description = try session.open(row)
                let late = try session.withValue(of: row) { value in
                    try value.withBytes { bytes in
                        try session.seal(
                            bytes, description, .whileUnlocked, itemID: row.itemID,
                            revision: UInt64(Int64.max) - 1)
                    }
                }
                try changes.replace(row, by: late)
            }
        }

        #expect(try vault.update(name, to: Samples.two()).revision == UInt64(Int64.max))
        #expect(throws: Self.end) { try vault.update(name, to: Samples.one()) }
        #expect(throws: Self.end) { try vault.edit(name, SecretEdit(label: "new"), expecting: nil) }
        #expect(try Samples.bytes(vault.value(of: name)) == [2, 2])
        #expect(try vault.check().problems.isEmpty)
        try vault.remove(name)
        #expect(try vault.list().isEmpty)
    }
}
