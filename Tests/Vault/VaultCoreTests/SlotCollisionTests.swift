import Sealing
import SecretMemory
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// A sealed pair that opens under two passphrases, which the cipher alone would not notice (Len, Grubbs, Ristenpart 2021).
@Suite("A slot that opens under two passphrases")
struct SlotCollisionTests {
    @Test("opens for the one that it is committed to, and is never tried with the other")
    func collision() throws {
        let vector = try #require(
            VectorTests.files.first { $0.testDescription == "slot_two_key_collision_committed" })
        let header = try VaultHeader(vector.header, limits: .testing)
        let slot = try #require(header.slots.first)
        var isCommitted: [Bool] = []
        for text in ["alpha", "bravo"] {
            let derived = try slot.derive(
                TestVault.secret(text), vaultID: header.vaultID, .testing)
            // Control: without a look at the commitment both open.
            let pair = try SecretBytes.opening(
                slot.sealedPair, under: derived.wrappingKey,
                SealContext(.slotPair, vaultID: header.vaultID, id: slot.id), failure: .slotPair)
            #expect(pair.count == 64)
            isCommitted.append(slot.isCommitted(to: derived, vaultID: header.vaultID))
        }
        #expect(isCommitted == [true, false])
        let other = try slot.derive(TestVault.secret("other"), vaultID: header.vaultID, .testing)
        #expect(throws: VaultError.damaged(.slotPair)) {
            _ = try slot.openRootKey(
                with: other, vaultID: header.vaultID, keyEpoch: header.keyEpoch)
        }
    }

    @Test("is refused as a wrong passphrase")
    func refused() throws {
        let vector = try #require(
            VectorTests.files.first { $0.testDescription == "slot_two_key_collision_committed" })
        let storage = try VaultDatabase.inMemory()
        let bytes = try #require(vector.header)
        try storage.write { writer in try writer.putHeader(bytes) }
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try TestVault.authenticate(storage, with: "bravo")
        }
        // The other one goes on to the state, which is not there.
        #expect(throws: VaultError.damaged(.stateMissing)) {
            _ = try TestVault.authenticate(storage, with: "alpha")
        }
    }
}
