internal import Sealing

/// One way to the root key: a passphrase or a recovery code (`Docs/Format.md`, section 4).
struct KeySlot: Sendable, Hashable {
    static let size = 162
    static let maximumCount = 8

    let id: [UInt8]
    let kind: KeySlotKind
    /// The cost of a passphrase slot; zero for a recovery code.
    let cost: KeyDerivationCost
    let salt: [UInt8]
    let commitment: [UInt8]
    let sealedRootKey: [UInt8]

    /// Parses a slot and performs every check that needs no key.
    static func read(
        from reader: inout ByteReader, vaultID: [UInt8], limits: KeyDerivationLimits
    ) throws -> KeySlot {
        guard let id = reader.raw(16), let kind = reader.integer(UInt8.self),
            let algorithm = reader.integer(UInt8.self), let passes = reader.integer(UInt32.self),
            let memory = reader.integer(UInt32.self), let salt = reader.raw(16),
            let commitment = reader.raw(32), let sealedRootKey = reader.raw(72),
            let checksum = reader.raw(16)
        else { throw VaultError.damaged(.headerTruncated) }
        let prefix = prefix(
            vaultID: vaultID, id: id, kind: kind, algorithm: algorithm, passes: passes,
            memory: memory, salt: salt)
        guard checksum == self.checksum(prefix, commitment, sealedRootKey) else {
            throw VaultError.damaged(.slotChecksum)
        }
        guard let kind = KeySlotKind(rawValue: kind) else { throw VaultError.damaged(.slotKind) }
        guard algorithm == kind.algorithm else { throw VaultError.damaged(.slotAlgorithm) }
        let cost = KeyDerivationCost(passes: passes, memoryKiB: memory)
        try check(cost, kind, limits)
        return KeySlot(
            id: id, kind: kind, cost: cost, salt: salt, commitment: commitment,
            sealedRootKey: sealedRootKey)
    }

    private static func check(
        _ cost: KeyDerivationCost, _ kind: KeySlotKind, _ limits: KeyDerivationLimits
    ) throws {
        switch kind {
        case .recoveryCode:
            guard cost.passes == 0, cost.memoryKiB == 0 else {
                throw VaultError.damaged(.slotRecoveryParameters)
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

    func write(to writer: inout ByteWriter, vaultID: [UInt8]) {
        let prefix = prefix(vaultID: vaultID)
        writer.raw(Array(prefix.dropFirst(4 + 16)))  // All of it but magic and vault id.
        writer.raw(commitment)
        writer.raw(sealedRootKey)
        writer.raw(Self.checksum(prefix, commitment, sealedRootKey))
    }

    /// The bytes covered by commitment and checksum.
    func prefix(vaultID: [UInt8]) -> [UInt8] {
        Self.prefix(
            vaultID: vaultID, id: id, kind: kind.rawValue, algorithm: kind.algorithm,
            passes: cost.passes, memory: cost.memoryKiB, salt: salt)
    }

    private static func prefix(
        vaultID: [UInt8], id: [UInt8], kind: UInt8, algorithm: UInt8, passes: UInt32,
        memory: UInt32, salt: [UInt8]
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
        return writer.bytes
    }

    private static func checksum(
        _ prefix: [UInt8], _ commitment: [UInt8], _ sealedRootKey: [UInt8]
    ) -> [UInt8] {
        Blake2b.hash(size: 16) { input in
            input.feed(prefix)
            input.feed(commitment)
            input.feed(sealedRootKey)
        }
    }
}

/// The kind of secret that opens a slot.
public enum KeySlotKind: UInt8, Sendable, Hashable {
    /// A passphrase, by Argon2id.
    case passphrase = 1
    /// A recovery code, by keyed BLAKE2b.
    case recoveryCode = 2

    /// The number of the slot's derivation algorithm.
    var algorithm: UInt8 { rawValue }
}
