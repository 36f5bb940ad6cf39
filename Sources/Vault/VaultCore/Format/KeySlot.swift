internal import Sealing

/// One way to the root key: a passphrase, a recovery code or an authenticator (`Docs/Format.md`, section 4).
struct KeySlot: Sendable, Hashable {
    static let maximumCount = 8

    let id: [UInt8]
    let kind: KeySlotKind
    /// The cost of a passphrase slot; zero for other kinds.
    let cost: KeyDerivationCost
    let salt: [UInt8]
    /// The record of an authenticator; nil for other kinds.
    let record: SlotRecord?
    let publicKey: [UInt8]
    /// Two keys of this slot, encrypted under a key that the passphrase, recovery code or security key gives: its secret key, which opens the
    /// vault's keys, and its authentication key (*L* in `Docs/Format.md`).
    var sealedPair: [UInt8] = []
    var commitment: [UInt8] = []

    // The fields of one key epoch: `rekey` replaces them.

    /// The authentication key, sealed under a subkey of the root key.
    var sealedKey: [UInt8] = []
    /// The root key, sealed to the public key.
    var box: [UInt8] = []
    var proof: [UInt8] = []

    /// Advances a reader past a slot of any content.
    ///
    /// - Returns: `false` if the bytes end too early.
    static func skip(_ reader: inout ByteReader) -> Bool {
        guard reader.skip(16 + 1 + 1 + 4 + 4 + 16), let size = reader.integer(UInt32.self) else {
            return false
        }
        return reader.skip(Int(size) + 32 + 32 + 104 + 72 + 80 + 32 + 16)
    }

    /// Parses a slot and performs every check that needs no key.
    static func read(
        from reader: inout ByteReader, vaultID: [UInt8], limits: KeyDerivationLimits
    ) throws -> KeySlot {
        guard let id = reader.raw(16), let kind = reader.integer(UInt8.self),
            let algorithm = reader.integer(UInt8.self), let passes = reader.integer(UInt32.self),
            let memory = reader.integer(UInt32.self), let salt = reader.raw(16),
            let record = reader.sized(), let publicKey = reader.raw(32),
            let commitment = reader.raw(32), let sealedPair = reader.raw(104),
            let sealedKey = reader.raw(72), let box = reader.raw(80), let proof = reader.raw(32),
            let checksum = reader.raw(16)
        else { throw VaultError.damaged(.headerTruncated) }
        let prefix = prefix(
            vaultID: vaultID, id: id, kind: kind, algorithm: algorithm, passes: passes,
            memory: memory, salt: salt, record: record)
        guard
            checksum
                == Self.checksum([prefix, publicKey, commitment, sealedPair, sealedKey, box, proof])
        else { throw VaultError.damaged(.slotChecksum) }
        guard let kind = KeySlotKind(rawValue: kind) else { throw VaultError.damaged(.slotKind) }
        guard algorithm == kind.algorithm else { throw VaultError.damaged(.slotAlgorithm) }
        let cost = KeyDerivationCost(passes: passes, memoryKiB: memory)
        try check(cost, kind, limits)
        var slot = KeySlot(
            id: id, kind: kind, cost: cost, salt: salt, record: try parse(record, kind),
            publicKey: publicKey)
        slot.commitment = commitment
        slot.sealedPair = sealedPair
        slot.sealedKey = sealedKey
        slot.box = box
        slot.proof = proof
        return slot
    }

    private static func check(
        _ cost: KeyDerivationCost, _ kind: KeySlotKind, _ limits: KeyDerivationLimits
    ) throws {
        switch kind {
        case .recoveryCode, .authenticator:
            guard cost.passes == 0, cost.memoryKiB == 0 else {
                throw VaultError.damaged(.slotParameters)
            }
        case .passphrase:
            do {
                try limits.check(cost)
            } catch SealingError.costTooLow {
                throw VaultError.damaged(.slotCostTooLow)
            } catch SealingError.costTooHigh {
                throw VaultError.damaged(.slotCostTooHigh)
            }
        }
    }

    private static func parse(_ record: [UInt8], _ kind: KeySlotKind) throws -> SlotRecord? {
        if kind != .authenticator, record.isEmpty { return nil }
        guard kind == .authenticator, let parsed = SlotRecord(record) else {
            throw VaultError.damaged(.slotRecord)
        }
        return parsed
    }

    func write(to writer: inout ByteWriter, vaultID: [UInt8]) {
        let prefix = prefix(vaultID: vaultID)
        let fields = [publicKey, commitment, sealedPair, sealedKey, box, proof]
        writer.raw(Array(prefix.dropFirst(4 + 16)))  // All of it but magic and vault id.
        for field in fields { writer.raw(field) }
        writer.raw(Self.checksum([prefix] + fields))
    }

    /// The first bytes of every hash input of the slot.
    func prefix(vaultID: [UInt8]) -> [UInt8] {
        Self.prefix(
            vaultID: vaultID, id: id, kind: kind.rawValue, algorithm: kind.algorithm,
            passes: cost.passes, memory: cost.memoryKiB, salt: salt, record: record?.bytes ?? [])
    }

    private static func prefix(
        vaultID: [UInt8], id: [UInt8], kind: UInt8, algorithm: UInt8, passes: UInt32,
        memory: UInt32, salt: [UInt8], record: [UInt8]
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVSL")
        writer.raw(vaultID)
        writer.raw(id)
        writer.integer(kind)
        writer.integer(algorithm)
        writer.integer(passes)
        writer.integer(memory)
        writer.raw(salt)
        writer.sized(record)
        return writer.bytes
    }

    private static func checksum(_ parts: [[UInt8]]) -> [UInt8] {
        Blake2b.hash(size: 16) { input in
            for part in parts { input.feed(part) }
        }
    }
}

/// The kind of secret that opens a slot.
public enum KeySlotKind: UInt8, Sendable, Hashable {
    /// A passphrase, by Argon2id.
    case passphrase = 1
    /// A recovery code, by keyed BLAKE2b.
    case recoveryCode = 2
    /// The output of a security key or a passkey (hmac-secret), by keyed BLAKE2b.
    case authenticator = 3

    /// The number of the slot's derivation algorithm.
    var algorithm: UInt8 { self == .passphrase ? 1 : 2 }
}
