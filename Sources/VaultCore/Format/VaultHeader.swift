internal import Sealing

/// The header: the slots, and the keys of the access classes sealed under the class-wrapping key (`Docs/Format.md`, section 3).
struct VaultHeader: Sendable, Hashable {
    static let format: UInt32 = 1
    static let sealedKeySize = 72

    var vaultID: [UInt8]
    var keyEpoch: UInt32
    var slots: [KeySlot]
    var attributeKey: [UInt8]
    /// The sealed value keys of class 1 and class 2.
    var valueKeys: [[UInt8]]

    init(
        vaultID: [UInt8], keyEpoch: UInt32, slots: [KeySlot], attributeKey: [UInt8],
        valueKeys: [[UInt8]]
    ) {
        self.vaultID = vaultID
        self.keyEpoch = keyEpoch
        self.slots = slots
        self.attributeKey = attributeKey
        self.valueKeys = valueKeys
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
        guard tail.raw(Int(count) * KeySlot.size) != nil,
            let attributeKey = tail.raw(sealedKeySize),
            let first = tail.raw(sealedKeySize), let second = tail.raw(sealedKeySize)
        else { throw VaultError.damaged(.headerTruncated) }
        guard tail.isAtEnd else { throw VaultError.damaged(.headerTrailingBytes) }
        var slots: [KeySlot] = []
        for _ in 0..<count {
            slots.append(try KeySlot.read(from: &reader, vaultID: vaultID, limits: limits))
        }
        guard Set(slots.map(\.id)).count == slots.count else {
            throw VaultError.damaged(.slotDuplicate)
        }
        return VaultHeader(
            vaultID: vaultID, keyEpoch: keyEpoch, slots: slots, attributeKey: attributeKey,
            valueKeys: [first, second])
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
        writer.raw(attributeKey)
        for key in valueKeys { writer.raw(key) }
        return writer.bytes
    }

    /// The header hash to which the state is bound.
    static func hash(of bytes: [UInt8]) -> [UInt8] {
        Blake2b.hash(size: 32) { $0.feed(bytes) }
    }
}
