import SecretMemory
import SecureStorage
import Testing
import TestSupport
import VaultCore

@Suite("An unlocked vault")
struct VaultContractTests {
    @Test("keeps the contract", arguments: SecureStoreContract.rules, StorageKind.allCases)
    func contract(rule: SecureStoreContract, kind: StorageKind) throws {
        try kind.withStorage { storage in
            try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            try rule.check(
                StoreUnderTest(
                    vault, lock: { vault.lock() }, endVerification: { vault.endVerification() }))
        }
    }

    @Test("gives the same answers after it was closed and opened", arguments: StorageKind.allCases)
    func reopened(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let code = try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            try TestVault.fill(vault, count: 40)
            let contents = try TestVault.contents(of: vault)
            vault.lock()
            #expect(contents.count == 40)
            #expect(try TestVault.contents(of: TestVault.unlock(storage)) == contents)
            let recovered = try LockedVault(storage, TestVault.environment())
                .unlock(with: .recoveryCode(code))
            #expect(try TestVault.contents(of: recovered) == contents)
        }
    }

    @Test("saves many at once, or none")
    func saveAll() throws {
        try StorageKind.sqlite.withStorage { storage in
            try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            try vault.saveAll { (save) throws(SecureStoreError) in
                for index in 0..<300 {
                    try save(Self.secret(index), Self.name(index), SecretAttributes(), nil)
                }
            }
            #expect(try TestVault.contents(of: vault).count == 300)
            #expect(throws: SecureStoreError.duplicate) {
                try vault.saveAll { (save) throws(SecureStoreError) in
                    try save(Self.secret(300), Self.name(300), SecretAttributes(), nil)
                    try save(Self.secret(7), Self.name(7), SecretAttributes(), nil)
                }
            }
            #expect(throws: SecureStoreError.notFound) { _ = try vault.value(of: Self.name(300)) }
            #expect(try TestVault.contents(of: TestVault.unlock(storage)).count == 300)
        }
    }

    @Test("keeps the times that an import brings along, but none in the future")
    func importedTimes() throws {
        try StorageKind.sqlite.withStorage { storage in
            try TestVault.create(in: storage)
            let vault = try TestVault.unlock(storage)
            let times = [
                SecretTimes(created: 5, modified: 7), SecretTimes(created: .max, modified: .max),
            ]
            func saveBoth() throws {
                try vault.saveAll(replacing: true) { (save) throws(SecureStoreError) in
                    for (index, times) in times.enumerated() {
                        try save(Self.secret(index), Self.name(index), SecretAttributes(), times)
                    }
                }
            }
            try saveBoth()
            let items = try vault.list().sorted { $0.name < $1.name }
            #expect(items.map(\.created).first == 5 && items.map(\.modified).first == 7)
            #expect(items.allSatisfy { $0.created < .max && $0.modified < .max })
            // A replacement is a change of now.
            try saveBoth()
            let replaced = try vault.list().sorted { $0.name < $1.name }
            #expect(replaced.map(\.created) == items.map(\.created))
            #expect(replaced.allSatisfy { $0.modified > 7 })
        }
    }

    private static func secret(_ index: Int) throws(SecureStoreError) -> SecretBytes {
        do {
            return try Samples.secret("\(index)")
        } catch {
            throw .unavailable(.outOfMemory, detail: "")
        }
    }

    private static func name(_ index: Int) throws(SecureStoreError) -> SecretName {
        try SecretName(service: "bulk \(index)", account: "a")
    }
}
