import Foundation
import Sealing
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Rekeying")
struct RekeyTests {
    private let environment = TestVault.environment()

    @Test("seals everything anew and keeps every answer and slot", arguments: StorageKind.allCases)
    func contents(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let slots = try FourSlots(in: storage)
            let vault = try TestVault.unlock(storage, environment)
            try TestVault.fill(vault, count: 60)
            let contents = try TestVault.contents(of: vault)
            let before = try Records(of: storage)
            let header = try VaultHeader.stored(in: storage)

            for epoch in UInt32(2)...3 {
                let oldBytes = try TestVault.authenticate(storage, environment).rekey()
                #expect(oldBytes == (kind == .postgresql ? .unknown : .erased))
                #expect(try VaultHeader.stored(in: storage).keyEpoch == epoch)
                #expect(try slots.answers(of: storage) == [nil, nil, nil, nil])
            }

            let reopened = try TestVault.unlock(storage, environment)
            #expect(try TestVault.contents(of: reopened) == contents)
            let after = try Records(of: storage)
            #expect(after.items.count == before.items.count)
            for row in before.items {
                #expect(!after.items.contains { $0.tag == row.tag || $0.value == row.value })
            }
            let fresh = try VaultHeader.stored(in: storage)
            for (old, new) in zip(header.slots, fresh.slots) {
                #expect(old.prefix(vaultID: []) == new.prefix(vaultID: []))
                #expect(old.publicKey == new.publicKey && old.sealedPair == new.sealedPair)
                #expect(old.commitment == new.commitment)
                #expect(old.sealedKey != new.sealedKey && old.box != new.box)
                #expect(old.proof != new.proof)
            }
            #expect(header.keys.attributeKey != fresh.keys.attributeKey)
            #expect(header.keys.backupPublicKey != fresh.keys.backupPublicKey)
            // A session with the old keys is over.
            #expect(throws: SecureStoreError.keysReplaced) { _ = try vault.list() }
            #expect(throws: SecureStoreError.locked) { _ = try vault.list() }
        }
    }

    @Test(
        "ends a passphrase that was changed before, also with the old header and the old root key",
        arguments: StorageKind.allCases)
    func changedPassphrase(kind: StorageKind) throws {
        try kind.withStorage { storage in
            let slots = try FourSlots(in: storage)
            try TestVault.fill(TestVault.unlock(storage), count: 5)
            let before = try Records(of: storage)
            let thief = try TestVault.authenticate(storage)
            let oldHeader = try VaultHeader.stored(in: storage)
            let old = VaultSession(
                storage: storage, environment: environment,
                keys: try VaultKeys.open(root: thief.root, oldHeader), header: oldHeader)
            _ = try TestVault.authenticate(storage).changePassphrase(
                to: TestVault.passphrase("new one"), cost: TestVault.cost, keepingKeys: true)
            // Control: without a rekey the old root key still opens what is saved.
            try TestVault.fillOne(TestVault.unlock(storage, with: "new one"), 6)
            for row in try Records(of: storage).items { _ = try old.open(row) }

            _ = try TestVault.authenticate(storage, with: "new one").rekey()
            try TestVault.fillOne(TestVault.unlock(storage, with: "new one"), 7)
            #expect(try slots.answers(of: storage, passphrase: "new one") == [nil, nil, nil, nil])
            #expect(try slots.answers(of: storage)[0] == .wrongPassphrase)
            let honest = try Records(of: storage)
            #expect(honest.items.count == 7)
            for row in honest.items {
                #expect(throws: VaultError.damaged(.attributesSeal)) { _ = try old.open(row) }
                #expect(throws: VaultError.damaged(.valueSeal)) {
                    try old.withValue(of: row) { _ in }
                }
            }
            let header = try VaultHeader.stored(in: storage)
            #expect(throws: VaultError.damaged(.wrappedKeySeal)) {
                _ = try VaultKeys.open(root: thief.root, header)
            }
            for identity in [HeaderIdentity(oldHeader), HeaderIdentity(header)] {
                #expect(throws: VaultError.damaged(.stateSeal)) {
                    _ = try VaultState.open(honest.state, under: old.keys.state, identity)
                }
            }
            for slot in header.slots {
                #expect(throws: VaultError.damaged(.slotKey)) {
                    _ = try thief.authenticationKey(of: slot)
                }
            }
            // The old header over the new records opens for no old secret.
            var shown = honest
            shown.header = before.header
            try shown.put(into: storage)
            let refusals = [VaultError?](repeating: .damaged(.stateSeal), count: 4)
            #expect(try slots.answers(of: storage) == refusals)
            #expect(
                try slots.answers(of: storage, passphrase: "new one")
                    == [.wrongPassphrase] + refusals.dropFirst())
            try honest.put(into: storage)
            #expect(try slots.answers(of: storage, passphrase: "new one") == [nil, nil, nil, nil])
        }
    }

    @Test("ends a slot that was removed before, wherever its bytes are put back")
    func removedSlot() throws {
        let storage = try VaultDatabase.inMemory()
        let slots = try FourSlots(in: storage)
        let before = try VaultHeader.stored(in: storage)
        let second = try TestVault.authenticate(storage, with: FourSlots.second)
        let removed = second.slot
        _ = try TestVault.authenticate(storage).revokeSlot(id: removed.id, keepingKeys: true)
        // Control: before a rekey the slot still has the root key, and only the state refuses it.
        var header = try VaultHeader.stored(in: storage)
        header.slots.append(removed)
        try storage.write { try $0.putHeader(header.bytes) }
        #expect(try slots.answers(of: storage)[1] == .damaged(.stateSeal))
        header.slots.removeLast()
        try storage.write { try $0.putHeader(header.bytes) }

        _ = try TestVault.authenticate(storage).rekey()
        #expect(try slots.answers(of: storage) == [nil, .wrongPassphrase, nil, nil])
        header = try VaultHeader.stored(in: storage)
        header.slots.append(removed)
        for (bytes, refusal) in [
            (header.bytes, FormatFailure.slotProof), (before.bytes, .stateSeal),
        ] {
            try storage.write { try $0.putHeader(bytes) }
            #expect(try slots.answers(of: storage)[1] == .damaged(refusal))
        }
    }

    @Test("the keys of an older copy open nothing new")
    func olderCopy() throws {
        try withTemporaryFolder { folder in
            let storage = try VaultDatabase.createFile(at: folder + "/vault.db")
            defer { storage.close() }
            try TestVault.create(in: storage, environment)
            try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
            try storage.backup(to: folder + "/copy.db")
            _ = try TestVault.authenticate(storage, environment).rekey()
            let copy = try VaultDatabase.openFile(at: folder + "/copy.db", mode: .readWrite)
            defer { copy.close() }
            let quiet = TestVault.environment()
            #expect(try TestVault.unlock(copy, quiet).list().count == 3)
            // The copy's header over the new rows, and the other way round.
            let old = try copy.read { reader in try reader.header() }
            let new = try storage.read { reader in try reader.header() }
            for (target, header) in [(storage, old), (copy, new)] {
                try target.write { writer in
                    try writer.putHeader(header ?? [])
                }
                #expect(throws: VaultError.damaged(.stateSeal)) {
                    _ = try TestVault.unlock(target, quiet)
                }
            }
        }
    }

    @Test("a damaged vault is left as it is")
    func damaged() throws {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        try TestVault.fill(TestVault.unlock(storage, environment), count: 5)
        let row = try #require(Records(of: storage).items.first)
        try storage.write { writer in try writer.removeItem(tag: row.tag) }
        let before = try Records(of: storage)
        #expect(throws: VaultError.damaged(.bucketRows)) {
            _ = try TestVault.authenticate(storage, environment).rekey()
        }
        #expect(try Records(of: storage) == before)
    }

    /// The state knows the header, so that only the checks of the slots can refuse it.
    @Test("a slot without the right proof or authentication key gets no new root key")
    func damagedSlot() throws {
        let changes: [(FormatFailure, (inout KeySlot, KeySlot) -> Void)] = [
            (.slotKey, { slot, _ in slot.sealedKey[30] ^= 1 }),
            (.slotKey, { slot, other in slot.sealedKey = other.sealedKey }),
            (.slotProof, { slot, _ in slot.proof[31] ^= 1 }),
            (.slotProof, { slot, other in slot.proof = other.proof }),
            (.slotProof, { slot, other in slot.box = other.box }),
            (.slotProof, { slot, other in (slot.box, slot.proof) = (other.box, other.proof) }),
        ]
        for (failure, change) in changes {
            for index in 1..<4 {
                let storage = try VaultDatabase.inMemory()
                let slots = try FourSlots(in: storage)
                try TestVault.fill(TestVault.unlock(storage), count: 2)
                try TestVault.authenticate(storage).replaceSlots { slots in
                    var slots = slots
                    change(&slots[index], slots[0])
                    return slots
                }
                let before = try Records(of: storage)
                #expect(throws: VaultError.damaged(failure)) {
                    _ = try TestVault.authenticate(storage).rekey()
                }
                #expect(try Records(of: storage) == before)
                #expect(try slots.answers(of: storage)[0] == nil)
            }
        }
    }

    @Test("a slot whose public key takes no box gets no new root key, although its proof is right")
    func smallOrder() throws {
        let storage = try VaultDatabase.inMemory()
        let slots = try FourSlots(in: storage)
        let vault = try TestVault.authenticate(storage)
        let header = try VaultHeader.stored(in: storage)
        try vault.replaceSlots { slots in
            var changed = slots[1].with(publicKey: [UInt8](repeating: 0, count: 32))
            let key = try vault.authenticationKey(of: slots[1])
            changed.proof = ForgedSlotTests.proof(of: changed, in: header, under: key)
            return [slots[0], changed] + slots[2...]
        }
        let before = try Records(of: storage)
        #expect(throws: VaultError.damaged(.slotBox)) {
            _ = try TestVault.authenticate(storage).rekey()
        }
        #expect(try Records(of: storage) == before)
        #expect(try slots.answers(of: storage)[0] == nil)
    }
}
