import Sealing
import SecretMemory
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Attacks of a writer of the records with the public keys of the slots: seal a root key of its own to them.
@Suite("Forged slots")
struct ForgedSlotTests {
    private let storage: VaultDatabase

    init() throws { storage = try VaultDatabase.inMemory() }

    /// `Docs/Format.md`, section 4, spelled out.
    static func proof(
        of slot: KeySlot, in header: VaultHeader, under key: borrowing SlotAuthenticationKey
    ) -> [UInt8] {
        Blake2b.hash(size: 32, key: key) { input in
            input.feed("TVSP")
            input.feed(header.keyEpoch)
            input.feed(slot.prefix(vaultID: header.vaultID))
            input.feed(slot.publicKey)
            input.feed(slot.box)
        }
    }

    /// An empty vault of the attacker under the slots of the owner.
    private func put(
        _ root: borrowing RootKey, keyEpoch: UInt32? = nil,
        proof: (KeySlot, VaultHeader) throws -> [UInt8]
    ) throws {
        var header = try VaultHeader.stored(in: storage)
        header.keyEpoch = keyEpoch ?? header.keyEpoch
        header.keys = try VaultKeys.sealNew(
            root: root, vaultID: header.vaultID, keyEpoch: header.keyEpoch, random: .system)
        for index in header.slots.indices {
            let publicKey = header.slots[index].publicKey
            header.slots[index].box = try #require(
                root.withBytes { BoxKeyPair.seal($0, to: publicKey) })
            header.slots[index].proof = try proof(header.slots[index], header)
        }
        var state = VaultState(lineage: [UInt8](repeating: 1, count: 16), settings: .standard)
        state.counter = 1
        let record = state.sealed(
            under: try root.stateKey(), HeaderIdentity(header), random: .system)
        var records = try Records(of: storage)
        records.header = header.bytes
        records.state = record
        records.items = []
        records.buckets = []
        records.links = [
            CommitLink(state, under: try root.rowHashKey(), random: .system)
                .sealed(
                    counter: 1, under: try root.stateKey(), vaultID: header.vaultID,
                    random: .system)
        ]
        try records.put(into: storage)
    }

    @Test("are refused in each slot without its authentication key")
    func withoutKey() throws {
        let slots = try FourSlots(in: storage)
        let owner = try TestVault.authenticate(storage)
        let honest = try VaultHeader.stored(in: storage)
        let root = try RootKey.random(from: .system)
        let other = try SlotAuthenticationKey.random(from: .system)
        let refused = [VaultError?](repeating: .damaged(.slotProof), count: 4)
        for epoch in [UInt32(1), 2] {
            // The old proof, that of an own key, and nothing but zeros.
            try put(root, keyEpoch: epoch) { slot, _ in slot.proof }
            #expect(try slots.answers(of: storage) == refused)
            try put(root, keyEpoch: epoch) { slot, header in
                Self.proof(of: slot, in: header, under: other)
            }
            #expect(try slots.answers(of: storage) == refused)
            try put(root, keyEpoch: epoch) { _, _ in [UInt8](repeating: 0, count: 32) }
            #expect(try slots.answers(of: storage) == refused)
        }
        // Control: who had the root key can forge: nothing but the proof was wrong.
        try put(root, keyEpoch: 1) { slot, header in
            let own = try #require(honest.slots.first { $0.id == slot.id })
            return Self.proof(of: slot, in: header, under: try owner.authenticationKey(of: own))
        }
        #expect(try slots.answers(of: storage) == [nil, nil, nil, nil])
    }

    @Test("are refused where a box or a proof is another slot's or another epoch's")
    func moved() throws {
        let slots = try FourSlots(in: storage)
        let first = try VaultHeader.stored(in: storage)
        _ = try TestVault.authenticate(storage).rekey()
        let second = try VaultHeader.stored(in: storage)
        let places: [WritableKeyPath<KeySlot, [UInt8]>] = [\.box, \.proof]
        var tried = 0
        // Passphrases first and third, as they were added.
        for (answer, index) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
            let own = second.slots[index]
            let others = second.slots.filter { $0.id != own.id } + first.slots
            for other in others {
                for chosen in [[places[0]], [places[1]], places] {
                    var header = second
                    for place in chosen {
                        header.slots[index][keyPath: place] = other[keyPath: place]
                    }
                    try storage.write { try $0.putHeader(header.bytes) }
                    #expect(try slots.answers(of: storage)[answer] == .damaged(.slotProof))
                    tried += 1
                }
            }
        }
        #expect(tried == 4 * 7 * 3)
    }

    @Test("are refused with another public key, for which the commitment does not fit")
    func publicKey() throws {
        let slots = try FourSlots(in: storage)
        var header = try VaultHeader.stored(in: storage)
        let pair = try BoxKeyPair.random(from: .system)
        header.slots = header.slots.map { $0.with(publicKey: pair.publicKey) }
        try storage.write { try $0.putHeader(header.bytes) }
        #expect(
            try slots.answers(of: storage)
                == [.wrongPassphrase, .wrongPassphrase, .wrongRecoveryCode, .wrongKey])
    }

    @Test("of an authenticator open for its output only")
    func authenticator() throws {
        _ = try FourSlots(in: storage)
        var other = SoftwareKey.output
        other[31] ^= 1
        let secret = try SoftwareKey.secret(other)
        #expect(throws: VaultError.wrongKey) {
            _ = try LockedVault(storage, TestVault.environment()).unlock(with: secret)
        }
        for size in [0, 31, 33] {
            let typed = try SecretBytes(count: size)
            #expect(throws: VaultError.wrongKey) {
                _ = try VaultSecret(.authenticator, typed: typed)
            }
        }
        let typed = try VaultSecret(.authenticator, typed: Samples.secret(SoftwareKey.output))
        #expect(try LockedVault(storage, TestVault.environment()).unlock(with: typed).isVerified)
    }
}
