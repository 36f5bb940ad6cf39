import Sealing
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// The power of a slot after it was changed or removed, for somebody who kept its secret and the header of its time.
@Suite("Slots that end")
struct EndedSlotTests {
    enum Ending: CaseIterable {
        case passphrase, recoveryCode, authenticator

        /// The number of the slot in the answers of ``FourSlots``, and what its secret is told afterwards.
        var refused: (index: Int, error: VaultError) {
            switch self {
            case .passphrase: (0, .wrongPassphrase)
            case .recoveryCode: (2, .wrongRecoveryCode)
            case .authenticator: (3, .wrongKey)
            }
        }

        /// The owner's passphrase after the change.
        var passphrase: String { self == .passphrase ? "new one" : TestVault.passphraseText }

        func secret(_ slots: FourSlots) throws -> VaultSecret {
            switch self {
            case .passphrase: try TestVault.secret()
            case .recoveryCode: try slots.recoveryCode()
            case .authenticator: try SoftwareKey.secret()
            }
        }

        func end(
            in storage: any RecordStorage, keepingKeys isKeeping: Bool,
            progress: (Int, Int) -> Void = { _, _ in }
        ) throws -> OldBytes {
            let vault = try TestVault.authenticate(storage)
            switch self {
            case .passphrase:
                return try vault.changePassphrase(
                    to: TestVault.passphrase(passphrase), cost: TestVault.cost,
                    keepingKeys: isKeeping, progress: progress)
            case .recoveryCode:
                return try vault.revokeSlots(
                    .recoveryCode, keepingKeys: isKeeping, progress: progress)
            case .authenticator:
                let slots = try VaultHeader.stored(in: storage).slots
                let slot = try #require(slots.first { $0.kind == .authenticator })
                return try vault.revokeSlot(
                    id: slot.id, keepingKeys: isKeeping, progress: progress)
            }
        }
    }

    private let environment = TestVault.environment()

    /// The number of rows that a secret reads with a header in which it still had a slot.
    private func readable(
        _ rows: [ItemRecord], _ storage: any RecordStorage, by secret: borrowing VaultSecret,
        with header: [UInt8]
    ) throws -> Int {
        let old = try VaultHeader(header, limits: environment.limits)
        let opened = try old.open(with: secret, environment.limits)
        let session = VaultSession(
            storage: storage, environment: environment,
            keys: try VaultKeys.open(root: opened.root, old), header: old)
        return rows.count { row in
            (try? session.open(row)) != nil && (try? session.withValue(of: row) { _ in }) != nil
        }
    }

    @Test(
        "with the old header open nothing that is saved later, unless the keys were kept",
        arguments: StorageKind.allCases, Ending.allCases)
    func endedSlot(kind: StorageKind, ending: Ending) throws {
        for keepsKeys in [false, true] {
            try kind.withStorage { storage in
                let slots = try FourSlots(in: storage)
                try TestVault.fill(TestVault.unlock(storage), count: 3)
                let before = try Records(of: storage)
                _ = try ending.end(in: storage, keepingKeys: keepsKeys)

                var answers = [VaultError?](repeating: nil, count: 4)
                if ending != .passphrase { answers[ending.refused.index] = ending.refused.error }
                #expect(
                    try slots.answers(of: storage, passphrase: ending.passphrase) == answers)
                answers[ending.refused.index] = ending.refused.error
                #expect(
                    try slots.answers(of: storage)[ending.refused.index] == ending.refused.error)

                // One that is protected, and one that is not.
                let vault = try TestVault.unlock(storage, with: ending.passphrase)
                for index in 3...4 { try TestVault.fillOne(vault, index) }
                let after = try Records(of: storage)
                let secret = try ending.secret(slots)
                #expect(
                    try readable(before.items, storage, by: secret, with: before.header) == 3)
                #expect(
                    try readable(after.items, storage, by: secret, with: before.header)
                        == (keepsKeys ? 5 : 0))
                // Nor does a reader of the vault itself take the old header.
                try storage.write { try $0.putHeader(before.header) }
                #expect(
                    try slots.answers(of: storage)
                        == [VaultError?](repeating: .damaged(.stateSeal), count: 4))
            }
        }
    }

    @Test("end in the same transaction as the keys", arguments: Ending.allCases, [false, true])
    func oneTransaction(ending: Ending, isStored: Bool) throws {
        let storage = try VaultDatabase.inMemory()
        let slots = try FourSlots(in: storage)
        try TestVault.fill(TestVault.unlock(storage), count: 5)
        let before = try Records(of: storage)
        let counter = try TestVault.authenticate(storage).counter
        let hooked = HookedStorage(storage)
        hooked.set { $0.commitIsDenied = isStored }
        hooked.set { $0.commitIsLost = !isStored }
        if isStored {
            _ = try ending.end(in: hooked, keepingKeys: false)
            #expect(try VaultHeader.stored(in: storage).keyEpoch == 2)
            #expect(
                try TestVault.authenticate(storage, with: ending.passphrase).counter == counter + 1)
        } else {
            #expect(throws: VaultError.storage(.inputOutput(operation: "commit", code: 5))) {
                _ = try ending.end(in: hooked, keepingKeys: false)
            }
            #expect(try Records(of: storage) == before)
            #expect(try slots.answers(of: storage) == [nil, nil, nil, nil])
        }
    }

    @Test("tell the progress of a rekey, and nothing if the keys are kept")
    func progress() throws {
        for ending in Ending.allCases {
            let storage = try VaultDatabase.inMemory()
            _ = try FourSlots(in: storage)
            try TestVault.fill(TestVault.unlock(storage), count: 4)
            var steps: [Int] = []
            _ = try ending.end(in: storage, keepingKeys: false) { done, total in
                #expect(total == 4)
                steps.append(done)
            }
            #expect(steps == [1, 2, 3, 4])
        }
        let storage = try VaultDatabase.inMemory()
        _ = try FourSlots(in: storage)
        try TestVault.fill(TestVault.unlock(storage), count: 4)
        _ = try Ending.passphrase.end(in: storage, keepingKeys: true) { _, _ in
            Issue.record("nothing was sealed again")
        }
    }

    /// Only a slot that stays gets the new root key, so only such a one must prove that it was made with the old one.
    @Test("may be forged ones, which stop every other change of the keys")
    func forgedSlot() throws {
        let storage = try VaultDatabase.inMemory()
        let slots = try FourSlots(in: storage)
        try TestVault.fill(TestVault.unlock(storage), count: 2)
        try TestVault.authenticate(storage).replaceSlots { slots in
            slots.map { slot in
                var slot = slot
                if slot.kind == .authenticator { slot.proof[0] ^= 1 }
                return slot
            }
        }
        let before = try Records(of: storage)
        for ending in [Ending.passphrase, .recoveryCode] {
            #expect(throws: VaultError.damaged(.slotProof)) {
                _ = try ending.end(in: storage, keepingKeys: false)
            }
            #expect(try Records(of: storage) == before)
        }
        _ = try Ending.authenticator.end(in: storage, keepingKeys: false)
        #expect(try slots.answers(of: storage) == [nil, nil, nil, .wrongKey])
    }

    @Test("of a passphrase that is none leave no room for a ninth", arguments: [false, true])
    func ninth(keepsKeys: Bool) throws {
        let storage = try VaultDatabase.inMemory()
        let code = VaultSecret.recoveryCode(try TestVault.create(in: storage))
        for _ in 3...8 { try SoftwareKey.add(to: storage) }
        let vault = try TestVault.authenticate(storage)
        let key = try KeySlot.make(
            for: SoftwareKey.secret(), record: SoftwareKey.record, cost: .standard,
            rootKey: vault.root, vaultID: vault.session.header.vaultID, keyEpoch: 1, environment)
        try vault.replaceSlots { $0.filter { $0.kind != .passphrase } + [key] }
        let before = try Records(of: storage)
        #expect(throws: VaultError.tooManySlots) {
            _ = try LockedVault(storage, environment).authenticate(with: code).changePassphrase(
                to: TestVault.passphrase(), cost: TestVault.cost, keepingKeys: keepsKeys)
        }
        #expect(try Records(of: storage) == before)
    }
}
