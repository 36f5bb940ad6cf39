import Sealing
import SecureStorage
import Synchronization
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

@Suite("Slots of security keys and passkeys")
struct KeySlotTests {
    private let environment = TestVault.environment()

    /// Another key than ``SoftwareKey``.
    private static func record(
        credential: [UInt8] = [9], publicKey: [UInt8] = [1], name: String = "red key"
    ) -> SlotRecord {
        SlotRecord(
            transport: .passkey, isSynchronised: true, input: [UInt8](2...33),
            credentialID: credential, publicKey: publicKey, name: name)
    }

    private static let otherOutput = [UInt8](0x60..<0x80)

    /// A vault with passphrase, recovery code, and the key of ``SoftwareKey``.
    private func vault() throws -> any RecordStorage {
        let storage = try VaultDatabase.inMemory()
        try TestVault.create(in: storage, environment)
        try TestVault.authenticate(storage, environment)
            .addKey(SoftwareKey.record, with: SoftwareKey.secret())
        return storage
    }

    private func addRed(
        _ record: SlotRecord = Self.record(), to storage: any RecordStorage
    ) throws {
        try TestVault.authenticate(storage, environment)
            .addKey(record, with: SoftwareKey.secret(Self.otherOutput))
    }

    /// The error of a change, which must leave the vault as it is.
    private func refusal(
        in storage: any RecordStorage, _ change: () throws -> Void
    ) throws -> VaultError? {
        let before = try Records(of: storage)
        defer { #expect(throws: Never.self) { try #expect(Records(of: storage) == before) } }
        do {
            try change()
            return nil
        } catch let error as VaultError {
            return error
        }
    }

    private func rename(
        to name: String, _ storage: any RecordStorage, _ output: [UInt8] = SoftwareKey.output
    ) throws -> OldBytes {
        try LockedVault(storage, environment).authenticate(with: SoftwareKey.secret(output))
            .renameKey(to: name, with: SoftwareKey.secret(output))
    }

    @Test("are described while the vault is locked, with the salt that opens them")
    func description() throws {
        let storage = try vault()
        let slots = try LockedVault(storage, environment).slots
        #expect(slots.map(\.kind) == [.passphrase, .recoveryCode, .authenticator])
        #expect(slots.map(\.record) == [nil, nil, SoftwareKey.record])
        // By hashlib of Python.
        let salt = "ac30c15b29209ff2941df1e49568a4be074541b496a344536d8bfedeb6a4975f"
        #expect(
            SoftwareKey.record.salt.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
                == salt
        )
    }

    @Test("open the vault, on each kind of storage", arguments: StorageKind.allCases)
    func opening(kind: StorageKind) throws {
        try kind.withStorage { storage in
            try TestVault.create(in: storage, environment)
            let uses = Mutex<[[UInt8]]>([])
            var environment = environment
            environment.logVerification = { _, slot in uses.withLock { $0.append(slot) } }
            try TestVault.fill(TestVault.unlock(storage, environment), count: 3)
            try TestVault.authenticate(storage, environment)
                .addKey(SoftwareKey.record, with: SoftwareKey.secret())
            let vault = try LockedVault(storage, environment).unlock(with: SoftwareKey.secret())
            #expect(try vault.list().count == 3)
            vault.endVerification()
            try vault.verify(with: SoftwareKey.secret())
            #expect(vault.isVerified)
            #expect(throws: VaultError.wrongKey) {
                try vault.verify(with: SoftwareKey.secret(Self.otherOutput))
            }
            let slots = try LockedVault(storage, environment).slots
            let (passphrase, key) = (slots[0].id, slots[2].id)
            #expect(uses.withLock { $0 } == [passphrase, passphrase, key, key])
        }
    }

    @Test("are refused twice, under a name of another one, or with a record that no header has")
    func refused() throws {
        let storage = try vault()
        let sameID = Self.record(credential: SoftwareKey.record.credentialID)
        #expect(try refusal(in: storage) { try addRed(sameID, to: storage) } == .duplicateKey)
        let sameName = Self.record(name: SoftwareKey.record.name)
        #expect(try refusal(in: storage) { try addRed(sameName, to: storage) } == .duplicateLabel)
        let names: [(String, InvalidNameReason)] = [
            (String(repeating: "n", count: 65), .tooLong(maximum: 64)), ("n\n", .controlCharacter),
            ("\u{85}", .controlCharacter),
        ]
        for (name, reason) in names {
            let refused = try refusal(in: storage) {
                try addRed(Self.record(name: name), to: storage)
            }
            #expect(refused == .store(.invalidName(field: "label", reason)))
        }
        for record in [
            Self.record(credential: []),
            Self.record(credential: [UInt8](repeating: 1, count: 1_024)),
            Self.record(publicKey: []), Self.record(publicKey: [UInt8](repeating: 1, count: 513)),
        ] {
            #expect(
                try refusal(in: storage) { try addRed(record, to: storage) }
                    == .damaged(.slotRecord))
        }
        let passphrase = try refusal(in: storage) {
            try TestVault.authenticate(storage, environment)
                .addKey(Self.record(), with: TestVault.secret())
        }
        #expect(passphrase == .wrongKey)
        // The longest name, and none twice.
        try addRed(Self.record(name: String(repeating: "n", count: 64)), to: storage)
        try addRed(Self.record(credential: [1], name: ""), to: storage)
        try addRed(Self.record(credential: [2], name: ""), to: storage)
    }

    @Test("are at most eight together with the others")
    func eight() throws {
        let storage = try vault()
        for number in 4...8 {
            try addRed(
                Self.record(credential: [UInt8(number)], name: "key \(number)"), to: storage)
        }
        #expect(try refusal(in: storage) { try addRed(to: storage) } == .tooManySlots)
    }

    @Test("leave a passphrase or a recovery code")
    func lastSlot() throws {
        let storage = try vault()
        _ = try TestVault.authenticate(storage, environment).revokeSlots(.recoveryCode)
        for isKeeping in [false, true] {
            let refused = try refusal(in: storage) {
                _ = try LockedVault(storage, environment).authenticate(with: SoftwareKey.secret())
                    .revokeSlots(.passphrase, keepingKeys: isKeeping)
            }
            #expect(refused == .lastSlot)
        }
        _ = try TestVault.authenticate(storage, environment).revokeSlots(.authenticator)
        #expect(try LockedVault(storage, environment).slots.map(\.kind) == [.passphrase])
    }

    @Test("are renamed by their own output only")
    func renaming() throws {
        let storage = try vault()
        try addRed(to: storage)
        let before = try LockedVault(storage, environment).slots
        #expect(try rename(to: "blue", storage) == .erased)
        let after = try LockedVault(storage, environment).slots
        #expect(after.map(\.record?.name) == [nil, nil, "blue", "red key"])
        #expect(after[2].record == SoftwareKey.record.named("blue"))
        #expect(after[2].id != before[2].id)
        #expect(after[3] == before[3])
        // Each opens as before, and the keys stay.
        for output in [SoftwareKey.output, Self.otherOutput] {
            let secret = try SoftwareKey.secret(output)
            #expect(try LockedVault(storage, environment).unlock(with: secret).isVerified)
        }
        #expect(try VaultHeader.stored(in: storage).keyEpoch == 1)
        // To its own name, too.
        _ = try rename(to: "blue", storage)

        #expect(
            try refusal(in: storage) { _ = try rename(to: "red key", storage) } == .duplicateLabel)
        let long = try refusal(in: storage) {
            _ = try rename(to: String(repeating: "n", count: 65), storage)
        }
        #expect(long == .store(.invalidName(field: "label", .tooLong(maximum: 64))))
        let byPassphrase = try refusal(in: storage) {
            _ = try TestVault.authenticate(storage, environment)
                .renameKey(to: "new", with: SoftwareKey.secret())
        }
        #expect(byPassphrase == .wrongKey)
        let byAnother = try refusal(in: storage) {
            _ = try LockedVault(storage, environment).authenticate(with: SoftwareKey.secret())
                .renameKey(to: "new", with: SoftwareKey.secret(Self.otherOutput))
        }
        #expect(byAnother == .wrongKey)
    }

    @Test("are not changed in a vault that another program has changed otherwise meanwhile")
    func meanwhile() throws {
        let storage = try vault()
        let adding = try TestVault.authenticate(storage, environment)
        try addRed(to: storage)
        let again = try refusal(in: storage) {
            try adding.addKey(
                Self.record(name: "other"), with: SoftwareKey.secret(Self.otherOutput))
        }
        #expect(again == .duplicateKey)
        let sameName = try refusal(in: storage) {
            try adding.addKey(
                Self.record(credential: [1]), with: SoftwareKey.secret(Self.otherOutput))
        }
        #expect(sameName == .duplicateLabel)

        let renaming = try LockedVault(storage, environment).authenticate(
            with: SoftwareKey.secret())
        let removed = renaming.openedSlot.id
        _ = try TestVault.authenticate(storage, environment)
            .revokeSlot(id: removed, keepingKeys: true)
        let renamed = try refusal(in: storage) {
            _ = try renaming.renameKey(to: "new", with: SoftwareKey.secret())
        }
        #expect(renamed == .conflict)

        _ = try TestVault.authenticate(storage, environment).rekey()
        // Its root key is no longer the vault's: a slot with it would open nothing.
        let late = try refusal(in: storage) {
            try adding.addKey(
                Self.record(credential: [1], name: "late"),
                with: SoftwareKey.secret(Self.otherOutput))
        }
        #expect(late == .store(.keysReplaced))
        let opened = try LockedVault(storage, environment)
            .unlock(with: SoftwareKey.secret(Self.otherOutput))
        #expect(opened.isVerified)
    }

    @Test("stay with a rekey, and end with their removal")
    func removal() throws {
        let storage = try vault()
        try addRed(to: storage)
        _ = try TestVault.authenticate(storage, environment).rekey()
        let red = try #require(
            LockedVault(storage, environment).slots.first { $0.record?.name == "red key" })
        _ = try LockedVault(storage, environment).authenticate(with: SoftwareKey.secret())
            .revokeSlot(id: red.id)
        #expect(try VaultHeader.stored(in: storage).keyEpoch == 3)
        #expect(throws: VaultError.wrongKey) {
            _ = try LockedVault(storage, environment)
                .unlock(with: SoftwareKey.secret(Self.otherOutput))
        }
        #expect(
            try LockedVault(storage, environment).unlock(with: SoftwareKey.secret()).isVerified)
        #expect(
            try refusal(in: storage) {
                _ = try TestVault.authenticate(storage, environment).revokeSlot(id: red.id)
            } == .noSuchSlot)
    }
}
