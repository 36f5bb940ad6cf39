import Sealing
import SecretMemory
import TestSupport
@testable import VaultCore
import VaultStorage

/// The output of an authenticator that is none, and the record of its slot.
enum SoftwareKey {
    static let output = [UInt8](0x40..<0x60)
    static let record = SlotRecord(
        transport: .securityKey, isSynchronised: false, input: [UInt8](1...32),
        credentialID: [UInt8](repeating: 7, count: 64), publicKey: [UInt8](repeating: 8, count: 77),
        name: "blue key")

    /// The secret that opens its slot.
    static func secret(_ output: [UInt8] = output) throws -> VaultSecret {
        .authenticator(AuthenticatorOutput(try Samples.secret(output)))
    }

    /// Adds its slot to a vault.
    static func add(to storage: any RecordStorage) throws {
        let vault = try TestVault.authenticate(storage)
        let header = vault.session.header
        let slot = try KeySlot.make(
            for: secret(), record: record, cost: .standard, rootKey: vault.root,
            vaultID: header.vaultID, keyEpoch: header.keyEpoch, TestVault.environment())
        try vault.replaceSlots { $0 + [slot] }
    }
}

extension KeySlot {
    /// The same with another public key, for which nothing fits.
    func with(publicKey: [UInt8]) -> KeySlot {
        KeySlot(
            id: id, kind: kind, cost: cost, salt: salt, record: record, publicKey: publicKey,
            sealedPair: sealedPair, commitment: commitment, sealedKey: sealedKey, box: box,
            proof: proof)
    }
}

extension AuthenticatedVault {
    /// Stores other slots with a state that fits, as only a holder of the root key can.
    borrowing func replaceSlots(_ change: ([KeySlot]) throws -> [KeySlot]) throws {
        try session.write { changes in
            var header = changes.session.header
            header.slots = try change(header.slots)
            try changes.put(header)
        }
    }

    /// The key L of a slot.
    borrowing func authenticationKey(of slot: KeySlot) throws -> SlotAuthenticationKey {
        try Key.opening(
            slot.sealedKey, under: root.slotKeyKey(),
            SealContext(
                .slotKey, vaultID: session.header.vaultID, id: slot.id,
                revision: UInt64(session.header.keyEpoch)), failure: .slotKey)
    }
}

/// A vault with four slots: two passphrases, a recovery code and an authenticator.
struct FourSlots {
    static let second = "second of two"
    private let code: [UInt8]

    init(in storage: any RecordStorage) throws {
        code = try Samples.bytes(TestVault.create(in: storage).text())
        try TestVault.authenticate(storage)
            .addPassphrase(TestVault.passphrase(Self.second), cost: TestVault.cost)
        try SoftwareKey.add(to: storage)
    }

    /// The recovery code of the beginning.
    func recoveryCode() throws -> VaultSecret {
        try VaultSecret(.recoveryCode, typed: Samples.secret(code))
    }

    /// How each of the four opens the vault, or why not: by the first passphrase, the second, the code and the authenticator.
    func answers(
        of storage: any RecordStorage, passphrase: String = TestVault.passphraseText
    ) throws -> [VaultError?] {
        [
            Self.answer(of: storage, to: try TestVault.secret(passphrase)),
            Self.answer(of: storage, to: try TestVault.secret(Self.second)),
            Self.answer(of: storage, to: try recoveryCode()),
            Self.answer(of: storage, to: try SoftwareKey.secret()),
        ]
    }

    private static func answer(
        of storage: any RecordStorage, to secret: borrowing VaultSecret
    ) -> VaultError? {
        do {
            let vault = try LockedVault(storage, TestVault.environment()).unlock(with: secret)
            return try vault.check().problems.isEmpty ? nil : .noSuchSlot
        } catch {
            return VaultError(translating: error)
        }
    }
}
