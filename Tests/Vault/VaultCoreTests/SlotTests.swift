import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Key slots")
struct SlotTests {
    private let environment = TestVault.environment()

    @Test(
        "changing the passphrase ends the old one and keeps the items",
        arguments: StorageKind.allCases, [false, true])
    func changePassphrase(kind: StorageKind, keepsKeys: Bool) throws {
        try kind.withStorage { storage in
            let code = try TestVault.create(in: storage, environment)
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 12)
            let contents = try TestVault.contents(of: vault)
            let replaced = try #require(
                VaultHeader.stored(in: storage).slots.first { $0.kind == .passphrase })
            let cost = KeyDerivationCost(passes: 2, memoryKiB: 16)
            let change = try TestVault.authenticate(storage, environment)
                .changePassphrase(
                    to: TestVault.passphrase("new one"), cost: cost, keepingKeys: keepsKeys)
            #expect(try VaultHeader.stored(in: storage).keyEpoch == (keepsKeys ? 1 : 2))
            #expect(change == (kind == .postgresql ? .unknown : .erased))
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestVault.unlock(storage, environment)
            }
            let reopened = try TestVault.unlock(storage, environment, with: "new one")
            #expect(try TestVault.contents(of: reopened) == contents)
            let slots = try VaultHeader.stored(in: storage).slots
            let made = try #require(slots.first { $0.kind == .passphrase })
            for (part, old) in zip(Self.parts(of: made), Self.parts(of: replaced)) {
                #expect(part != old, "a new slot has nothing of the old one")
            }
            #expect(try LockedVault(storage, environment).slots.map(\.cost).contains(cost))
            let recovered = try LockedVault(storage, environment)
                .unlock(with: .recoveryCode(code))
            #expect(try TestVault.contents(of: recovered) == contents)
            // The vault that was open all the time follows, if it has the keys.
            if keepsKeys {
                #expect(try TestVault.contents(of: vault) == contents)
            } else {
                #expect(throws: SecureStoreError.keysReplaced) { _ = try vault.list() }
            }
        }
    }

    @Test("an old slot's bytes leave the file and its log")
    func oldBytes() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            let slot = try #require(
                VaultHeader.stored(in: storage).slots.first { $0.kind == .passphrase })
            let traces = Self.parts(of: slot)
            for trace in traces {
                #expect(try Self.isFound(trace, in: folder), "the search itself must work")
            }
            _ = try TestVault.authenticate(storage, environment)
                .changePassphrase(to: TestVault.passphrase("new one"), cost: TestVault.cost)
            for trace in traces { #expect(try !Self.isFound(trace, in: folder)) }
        }
    }

    @Test("a reader that holds the old bytes is told of, and they go later")
    func pendingBytes() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            try TestVault.create(in: storage, environment)
            let slot = try #require(VaultHeader.stored(in: storage).slots.first)
            let reader = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readOnly)
            let change = try reader.read { snapshot in
                _ = try? snapshot.header()
                return try TestVault.authenticate(storage, environment).changePassphrase(
                    to: TestVault.passphrase("new one"), cost: TestVault.cost)
            }
            #expect(change == .pending)
            reader.close()
            storage.close()
            #expect(try !Self.isFound(slot.commitment, in: folder))
            let reopened = try VaultDatabase.openFile(at: folder + "/vault.db", mode: .readWrite)
            defer { reopened.close() }
            #expect(try TestVault.unlock(reopened, environment, with: "new one").isVerified)
        }
    }

    @Test("a recovery code takes the place of a forgotten passphrase")
    func forgotten() throws {
        let storage = try VaultDatabase.inMemory()
        let code = try TestVault.create(in: storage, environment)
        let proof = VaultSecret.recoveryCode(code)
        _ = try LockedVault(storage, environment).authenticate(with: proof)
            .changePassphrase(to: TestVault.passphrase("found again"), cost: TestVault.cost)
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try TestVault.unlock(storage, environment)
        }
        #expect(try TestVault.unlock(storage, environment, with: "found again").isVerified)
        #expect(try LockedVault(storage, environment).unlock(with: proof).isVerified)
    }

    @Test("a new recovery code ends the old one")
    func recoveryCode() throws {
        let storage = try VaultDatabase.inMemory()
        let old = VaultSecret.recoveryCode(try TestVault.create(in: storage, environment))
        let new = try TestVault.authenticate(storage, environment).replaceRecoveryCode()
        #expect(throws: VaultError.wrongRecoveryCode) {
            _ = try LockedVault(storage, environment).unlock(with: old)
        }
        let text = try new.code.text()
        let typed = VaultSecret.recoveryCode(try RecoveryCode(typed: text))
        #expect(try LockedVault(storage, environment).unlock(with: typed).isVerified)
    }

    @Test("slots are revoked, but never the last")
    func revoke() throws {
        let storage = try VaultDatabase.inMemory()
        let code = VaultSecret.recoveryCode(try TestVault.create(in: storage, environment))
        _ = try TestVault.authenticate(storage, environment).revokeSlots(.recoveryCode)
        #expect(throws: VaultError.wrongRecoveryCode) {
            _ = try LockedVault(storage, environment).unlock(with: code)
        }
        #expect(throws: VaultError.noSuchSlot) {
            _ = try TestVault.authenticate(storage, environment).revokeSlots(.recoveryCode)
        }
        #expect(throws: VaultError.lastSlot) {
            _ = try TestVault.authenticate(storage, environment).revokeSlots(.passphrase)
        }
        #expect(try TestVault.unlock(storage, environment).isVerified)
    }

    @Test("there are at most eight, and each opens")
    func eight() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        for number in 3...8 {
            try TestVault.authenticate(storage, environment)
                .addPassphrase(TestVault.passphrase("number \(number)"), cost: TestVault.cost)
        }
        #expect(throws: VaultError.tooManySlots) {
            try TestVault.authenticate(storage, environment)
                .addPassphrase(TestVault.passphrase("ninth"), cost: TestVault.cost)
        }
        for number in 3...8 {
            #expect(try TestVault.unlock(storage, environment, with: "number \(number)").isVerified)
        }
        for keepsKeys in [true, false] {
            let number = keepsKeys ? "number 5" : "number 6"
            let stale = try TestVault.authenticate(storage, environment, with: number)
            _ = try TestVault.authenticate(storage, environment, with: number)
                .revokeSlot(id: stale.slotID, keepingKeys: true)
            #expect(throws: VaultError.wrongPassphrase) {
                _ = try TestVault.unlock(storage, environment, with: number)
            }
            // The one that was proved is gone, so nothing more can be changed by it.
            do {
                _ = try stale.revokeSlots(.recoveryCode, keepingKeys: keepsKeys)
                Issue.record("a slot that is gone changed the others")
            } catch {
                #expect(error == .conflict)
            }
        }
    }

    @Test("an old slot put back into the header is noticed")
    func oldSlotPutBack() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        let old = try VaultHeader.stored(in: storage)
        _ = try TestVault.authenticate(storage, environment)
            .changePassphrase(to: TestVault.passphrase("new one"), cost: TestVault.cost)
        try storage.write { writer in try writer.putHeader(old.bytes) }
        #expect(throws: VaultError.damaged(.stateSeal)) {
            _ = try TestVault.unlock(storage, environment)
        }
    }

    private static func parts(of slot: KeySlot) -> [[UInt8]] {
        [
            slot.id, slot.salt, slot.publicKey, slot.commitment, slot.sealedPair, slot.sealedKey,
            slot.box, slot.proof,
        ]
    }

    private static func isFound(_ bytes: [UInt8], in folder: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder).contains { name in
            let data = try Data(contentsOf: URL(filePath: folder + "/" + name))
            return data.range(of: Data(bytes)) != nil
        }
    }
}
