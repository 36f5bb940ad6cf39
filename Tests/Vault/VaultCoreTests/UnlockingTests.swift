import Sealing
import SecretMemory
import SecureStorage
import Testing
import TestSupport
import VaultCore
import VaultStorage

@Suite("Unlocking")
struct UnlockingTests {
    private let storage: VaultDatabase
    private let environment = TestVault.environment()

    init() throws { storage = try VaultDatabase.inMemory() }

    @Test("needs the right passphrase")
    func wrongPassphrase() throws {
        try TestVault.create(in: storage, environment)
        for wrong in ["correct hors", "correct horse ", "Correct horse", "x"] {
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestVault.unlock(storage, environment, with: wrong)
            }
        }
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
    }

    @Test("needs the right recovery code")
    func wrongRecoveryCode() throws {
        try TestVault.create(in: storage, environment)
        let other = VaultSecret.recoveryCode(try RecoveryCode.random(from: .system))
        #expect(throws: VaultError.wrongRecoveryCode) {
            _ = try LockedVault(storage, environment).unlock(with: other)
        }
    }

    @Test("takes both normal forms of a passphrase for one")
    func normalForms() throws {
        _ = try VaultCreation.create(
            in: storage, environment, passphrase: TestVault.passphrase("cafe\u{301} \u{212B}"),
            cost: TestVault.cost)
        #expect(try TestVault.unlock(storage, environment, with: "caf\u{E9} \u{C5}").isVerified)
    }

    @Test("a second vault cannot be made in the same place")
    func createTwice() throws {
        try TestVault.create(in: storage, environment)
        #expect(throws: VaultError.storage(.alreadyExists)) {
            _ = try TestVault.create(in: storage, environment)
        }
        #expect(try TestVault.unlock(storage, environment).list().isEmpty)
    }

    @Test("a cost outside the limits makes no vault")
    func costs() throws {
        let strict = VaultEnvironment(rollbackRecords: MemoryRollbackRecords())
        for (passes, memory) in [(1, 19_456), (2, 19_455), (65, 19_456), (3, 4_194_305), (0, 0)] {
            let cost = KeyDerivationCost(passes: UInt32(passes), memoryKiB: UInt32(memory))
            #expect(throws: VaultError.self) {
                _ = try VaultCreation.create(
                    in: storage, strict, passphrase: TestVault.passphrase(), cost: cost)
            }
        }
        #expect(throws: VaultError.damaged(.headerMissing)) {
            _ = try LockedVault(storage, strict)
        }
    }

    @Test("the default cost opens, once, for real")
    func standardCost() throws {
        let strict = VaultEnvironment(rollbackRecords: MemoryRollbackRecords())
        _ = try VaultCreation.create(in: storage, strict, passphrase: TestVault.passphrase())
        let locked = try LockedVault(storage, strict)
        #expect(locked.slots.map(\.kind) == [.passphrase, .recoveryCode])
        #expect(locked.slots[0].cost == KeyDerivationCost(passes: 3, memoryKiB: 262_144))
        #expect(try locked.unlock(with: TestVault.secret()).isVerified)
    }

    @Test("verification ends and comes back without unlocking again")
    func verification() throws {
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        try TestVault.fill(vault, count: 1)
        let name = try TestVault.name(0)
        vault.endVerification()
        #expect(!vault.isVerified)
        #expect(throws: SecureStoreError.notVerified) { _ = try vault.value(of: name) }
        #expect(throws: VaultError.wrongPassphrase) {
            try vault.verify(with: TestVault.secret("wrong"))
        }
        #expect(throws: SecureStoreError.notVerified) { _ = try vault.value(of: name) }
        try vault.verify(with: TestVault.secret())
        #expect(try Samples.bytes(vault.value(of: name)) == Array("value 0".utf8))
        vault.lock()
        #expect(throws: VaultError.store(.locked)) {
            try vault.verify(with: TestVault.secret())
        }
        #expect(vault.settings == nil)
    }

    @Test("a key that rests comes back once, and is gone with all that ends it")
    func suspendedKey() throws {
        try TestVault.create(in: storage, environment)
        let vault = try TestVault.unlock(storage, environment)
        try TestVault.fill(vault, count: 1)
        let name = try TestVault.name(0)
        func rest() {
            #expect(
                vault.endVerification(
                    number: vault.verificationCount, mayWait: true, suspending: true))
        }
        rest()
        #expect(!vault.isVerified && vault.canResumeVerification)
        #expect(throws: SecureStoreError.notVerified) { _ = try vault.value(of: name) }
        // The end of an earlier verification changes nothing.
        #expect(vault.endVerification(number: vault.verificationCount + 1, mayWait: true))
        #expect(try vault.resumeVerification())
        #expect(try Samples.bytes(vault.value(of: name)) == Array("value 0".utf8))
        #expect(!vault.canResumeVerification, "one copy")
        rest()
        vault.wipeSuspendedKey()
        #expect(try !vault.resumeVerification() && !vault.isVerified)
        try vault.verify(with: TestVault.secret())
        rest()
        try vault.verify(with: TestVault.secret())
        #expect(vault.isVerified && !vault.canResumeVerification, "one copy")
        rest()
        vault.endVerification()
        #expect(!vault.canResumeVerification)
        try vault.verify(with: TestVault.secret())
        rest()
        vault.lock()
        #expect(throws: VaultError.store(.locked)) { try vault.resumeVerification() }
    }

    @Test("a new vault has the standard settings, and keeps changed ones")
    func settings() throws {
        try TestVault.create(in: storage, environment)
        #expect(try TestVault.unlock(storage, environment).settings == .standard)
        var settings = VaultSettings.standard
        settings[.idleLimit] = 60
        settings[.requireLockedMemory] = 1
        try TestVault.authenticate(storage, environment).unlock()
            .changeSettings { $0 = settings }
        #expect(try TestVault.unlock(storage, environment).settings == settings)
    }
}
