internal import Sealing

/// The header: the slots, and the keys sealed under the class-wrapping key (`Docs/Format.md`, section 3).
struct VaultHeader: Sendable, Hashable {
    static let format: UInt32 = 2

    var vaultID: [UInt8]
    var keyEpoch: UInt32
    var slots: [KeySlot]
    var keys: SealedKeys

    init(vaultID: [UInt8], keyEpoch: UInt32, slots: [KeySlot], keys: SealedKeys) {
        self.vaultID = vaultID
        self.keyEpoch = keyEpoch
        self.slots = slots
        self.keys = keys
    }

    /// Parses an untrusted header in linear time.
    init(_ bytes: [UInt8]?, limits: KeyDerivationLimits) throws {
        guard let bytes else { throw VaultError.damaged(.headerMissing) }
        self = try ByteReader.reading(bytes) { try Self.read(from: &$0, limits: limits) }
    }

    private static func read(
        from reader: inout ByteReader, limits: KeyDerivationLimits
    ) throws -> VaultHeader {
        guard let isHeader = reader.magic("TVHD"), let found = reader.integer(UInt32.self) else {
            throw VaultError.damaged(.headerTruncated)
        }
        guard isHeader else { throw VaultError.damaged(.headerMagic) }
        guard found == format else { throw VaultError.damaged(.headerFormat) }
        guard let vaultID = reader.raw(16), let keyEpoch = reader.integer(UInt32.self),
            let count = reader.integer(UInt8.self)
        else { throw VaultError.damaged(.headerTruncated) }
        guard keyEpoch > 0 else { throw VaultError.damaged(.keyEpochZero) }
        guard (1...KeySlot.maximumCount).contains(Int(count)) else {
            throw VaultError.damaged(.slotCount)
        }
        // Check the sizes first, so that a truncated slot is not reported as a damaged one.
        var tail = reader
        guard (0..<count).allSatisfy({ _ in KeySlot.skip(&tail) }),
            let keys = SealedKeys.read(from: &tail)
        else { throw VaultError.damaged(.headerTruncated) }
        guard tail.isAtEnd else { throw VaultError.damaged(.headerTrailingBytes) }
        var slots: [KeySlot] = []
        for _ in 0..<count {
            slots.append(try KeySlot.read(from: &reader, vaultID: vaultID, limits: limits))
        }
        guard Set(slots.map(\.id)).count == slots.count else {
            throw VaultError.damaged(.slotDuplicate)
        }
        return VaultHeader(vaultID: vaultID, keyEpoch: keyEpoch, slots: slots, keys: keys)
    }

    /// The canonical bytes.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVHD")
        writer.integer(Self.format)
        writer.raw(vaultID)
        writer.integer(keyEpoch)
        writer.integer(UInt8(slots.count))
        for slot in slots { slot.write(to: &writer, vaultID: vaultID) }
        keys.write(to: &writer)
        return writer.bytes
    }

    /// The header hash to which the state is bound.
    static func hash(of bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 32) { $0.feed(bytes) }
    }
}

/// The fields of a header after its slots.
struct SealedKeys: Sendable, Hashable {
    /// Sealed, 72 bytes.
    let attributeKey: [UInt8]
    /// The value keys of class 1 and class 2, sealed.
    let valueKeys: [[UInt8]]
    let backupPublicKey: [UInt8]
    /// Sealed, 72 bytes.
    let backupSecretKey: [UInt8]

    static func read(from reader: inout ByteReader) -> SealedKeys? {
        guard let attributeKey = reader.raw(72), let first = reader.raw(72),
            let second = reader.raw(72), let backupPublicKey = reader.raw(32),
            let backupSecretKey = reader.raw(72)
        else { return nil }
        return SealedKeys(
            attributeKey: attributeKey, valueKeys: [first, second],
            backupPublicKey: backupPublicKey, backupSecretKey: backupSecretKey)
    }

    func write(to writer: inout ByteWriter) {
        writer.raw(attributeKey)
        for key in valueKeys { writer.raw(key) }
        writer.raw(backupPublicKey)
        writer.raw(backupSecretKey)
    }
}
