package import Sealing
package import SecretMemory
internal import SecureStorage
package import Sync
internal import TextCoding

/// The keys of an epoch, sealed to its members (`Docs/Sync.md`, section 3). The id of the epoch is the hash of these bytes.
package struct EpochStatement: Hashable, Sendable {
    fileprivate static let commitmentSize = 32
    /// The maximum number of members: 16 devices and the recovery member.
    package static let memberLimit = 17
    private static let valueSize = 32
    private static let keySize = 32
    private static let plaintextSize = GroupID.size + valueSize + 1 + DeviceID.size + keySize
    /// The size of a box, in bytes.
    package static let boxSize = plaintextSize + BoxKeyPair.overhead

    package let group: GroupID
    /// 32 random bytes, which bind the boxes to this statement.
    private let value: [UInt8]
    /// One for each level, ascending.
    private let commitments: [[UInt8]]
    /// Three boxes for each member, by ascending level.
    private let boxes: [DeviceID: [[UInt8]]]

    /// Makes an epoch with new keys.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - members: At most 17.
    ///   - random: The source of the keys.
    /// - Returns: The statement and its keys.
    /// - Throws: ``EpochFailure/memberKey`` for a public key of small order; `SecretMemoryError.outOfMemory`.
    package static func make(
        _ group: GroupID, for members: [DeviceID: DeviceKeys], random: RandomSource
    ) throws -> (EpochStatement, EpochKeys) {
        precondition(members.count <= memberLimit)
        var keys: [SyncLevel: LevelKey] = [:]
        for level in SyncLevel.allCases {
            keys[level] = LevelKey(try random.secret(count: keySize))
        }
        let value = random.bytes(count: valueSize)
        var boxes: [DeviceID: [[UInt8]]] = [:]
        for (device, member) in members {
            boxes[device] = try Self.boxes(group, value, device, keys, to: member)
        }
        let statement = EpochStatement(
            group: group, value: value,
            commitments: keys.sorted { $0.key < $1.key }.map { $1.commitment(group, $0) },
            boxes: boxes)
        return (statement, EpochKeys(id: statement.id, keys: keys))
    }

    /// Seals the keys of all levels to a member.
    private static func boxes(
        _ group: GroupID, _ value: [UInt8], _ device: DeviceID, _ keys: [SyncLevel: LevelKey],
        to member: DeviceKeys
    ) throws -> [[UInt8]] {
        try keys.sorted { $0.key < $1.key }.map { level, key in
            var plaintext = try SecretBytes(count: plaintextSize)
            let place = place(group, value, level, device)
            plaintext.withMutableBytes { plaintext in
                plaintext.copy(unsafe place.span.bytes)
                key.key.withBytes { plaintext.copy($0, at: place.count) }
            }
            guard let box = plaintext.withBytes({ BoxKeyPair.seal($0, to: member.boxKey(level)) })
            else { throw EpochFailure.memberKey }
            return box
        }
    }

    /// The bytes before the key in a box.
    private static func place(
        _ group: GroupID, _ value: [UInt8], _ level: SyncLevel, _ device: DeviceID
    ) -> [UInt8] {
        group.bytes + value + [level.rawValue] + device.bytes
    }

    /// The canonical bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVES")
        writer.id(group)
        writer.raw(value)
        for commitment in commitments { writer.raw(commitment) }
        writer.integer(UInt32(boxes.count))
        for (device, boxes) in boxes.sorted(by: { $0.key < $1.key }) {
            writer.id(device)
            for box in boxes { writer.raw(box) }
        }
        return writer.bytes
    }

    /// The id of the epoch.
    package var id: [UInt8] { Blake2b.hash(size: EpochKeys.idSize) { $0.feed(bytes) } }

    /// The members that the epoch was made for.
    package var members: Set<DeviceID> { Set(boxes.keys) }

    /// Seals the keys of this epoch to a member that the epoch was not made for.
    ///
    /// - Parameters:
    ///   - keys: The keys of all levels.
    ///   - device: The member.
    ///   - member: Its public keys.
    /// - Returns: Three boxes, by ascending level.
    /// - Throws: ``EpochFailure/memberKey`` for a public key of small order; `SecretMemoryError.outOfMemory`.
    package func boxes(
        of keys: EpochKeys, for device: DeviceID, to member: DeviceKeys
    ) throws -> [[UInt8]] {
        precondition(keys.isComplete)
        return try Self.boxes(group, value, device, keys.keys, to: member)
    }

    /// Opens the key of one level.
    ///
    /// - Parameters:
    ///   - level: The level.
    ///   - device: This device.
    ///   - pair: Its key pair for the level.
    ///   - delivered: The boxes of ``boxes(of:for:to:)``; nil for those of the statement.
    /// - Returns: The key, which matches its commitment.
    /// - Throws: ``EpochFailure``; `SecretMemoryError.outOfMemory`.
    package func key(
        _ level: SyncLevel, for device: DeviceID, with pair: borrowing BoxKeyPair,
        delivered: [[UInt8]]? = nil
    ) throws -> LevelKey {
        guard let boxes = delivered ?? boxes[device] else { throw EpochFailure.boxMissing }
        var plaintext = try SecretBytes(count: Self.plaintextSize)
        do {
            try pair.open(boxes[Int(level.rawValue)], into: &plaintext)
        } catch {
            throw EpochFailure.boxSeal
        }
        let expected = Self.place(group, value, level, device)
        let place = plaintext.withBytes { $0.extracting(first: expected.count).array }
        guard place == expected else { throw EpochFailure.boxPlace }
        plaintext.keep(from: expected.count, count: Self.keySize)
        let key = LevelKey(plaintext)
        guard
            ConstantTime.areEqual(
                key.commitment(group, level), commitments[Int(level.rawValue)])
        else { throw EpochFailure.commitment }
        return key
    }
}

extension EpochStatement {
    /// Parses canonical bytes; nil for any other input.
    package init?(_ bytes: [UInt8]) {
        guard let statement = ByteReader.whole(bytes, Self.read) else { return nil }
        self = statement
    }

    private static func read(from reader: inout ByteReader) -> EpochStatement? {
        guard reader.magic("TVES") == true, let group = reader.id(of: SyncSubject.Group.self),
            let value = reader.raw(valueSize), let commitments = reader.levels(commitmentSize)
        else { return nil }
        let boxes = reader.list(atMost: memberLimit, by: { $0.0 }) {
            reader -> (DeviceID, [[UInt8]])? in
            guard let device = reader.id(of: SyncSubject.Device.self),
                let boxes = reader.levels(boxSize)
            else { return nil }
            return (device, boxes)
        }
        return boxes.map {
            EpochStatement(
                group: group, value: value, commitments: commitments,
                boxes: Dictionary(uniqueKeysWithValues: $0))
        }
    }
}

extension LevelKey {
    /// The commitment to the key, `hash(32, key, "TVEC" ‖ group ‖ level)`.
    ///
    /// A seal of XChaCha20-Poly1305 can open under two keys, each with another plaintext. The commitment permits one key.
    func commitment(_ group: GroupID, _ level: SyncLevel) -> [UInt8] {
        Blake2b.hash(size: EpochStatement.commitmentSize, key: key) { input in
            input.feed("TVEC")
            input.feed(group.bytes)
            input.feed(level.rawValue)
        }
    }
}

extension ByteReader {
    /// Reads bytes of one size for each level.
    fileprivate mutating func levels(_ size: Int) -> [[UInt8]]? {
        let levels = SyncLevel.allCases.compactMap { _ in raw(size) }
        return levels.count == SyncLevel.allCases.count ? levels : nil
    }
}

/// Why a key of an epoch was refused. The raw value is the name in `Docs/Sync.md`.
package enum EpochFailure: String, Error, Sendable, Hashable {
    /// A member's public key has small order.
    case memberKey = "member_key"
    /// The statement has no boxes for this device.
    case boxMissing = "epoch_box_missing"
    /// The box does not open with this key pair.
    case boxSeal = "epoch_box_seal"
    /// The box is that of another group, statement, level or device.
    case boxPlace = "epoch_box_place"
    /// The key does not match its commitment.
    case commitment = "epoch_commitment"
}
