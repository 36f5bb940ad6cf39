package import Sealing
internal import SecretMemory
internal import SecureStorage

/// The fields of a segment before its body (`Docs/Sync.md`, section 4).
package struct SegmentPrefix: Hashable, Sendable {
    /// The kinds of segments.
    package enum Kind: UInt8, Sendable {
        case change = 1
        /// A file of a snapshot, sealed. It is no link of the chain: it has the number of the segment that announces it.
        case snapshot = 3
    }

    /// The format that this program writes.
    package static let currentFormat: UInt32 = 1
    static let size =
        4 + 4 + 1 + GroupID.size + DeviceID.size + 8 + Head.hashSize + EpochKeys.idSize

    package let format: UInt32
    package let kind: Kind
    package let group: GroupID
    /// The author and the number.
    package let dot: Dot
    /// The hash of the author's previous segment, with its signature; zeros before the first.
    package let previous: [UInt8]
    /// The epoch under which the body is sealed.
    package let epoch: [UInt8]

    package init(
        format: UInt32 = currentFormat, kind: Kind, group: GroupID, dot: Dot, previous: [UInt8],
        epoch: [UInt8]
    ) {
        precondition(previous.count == Head.hashSize && epoch.count == EpochKeys.idSize)
        self.format = format
        self.kind = kind
        self.group = group
        self.dot = dot
        self.previous = previous
        self.epoch = epoch
    }

    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.size)
        writer.magic("TVSG")
        writer.integer(format)
        writer.integer(kind.rawValue)
        writer.id(group)
        writer.dot(dot)
        writer.raw(previous)
        writer.raw(epoch)
        return writer.bytes
    }

    fileprivate init(from reader: inout ByteReader) throws(SegmentFailure) {
        guard reader.magic("TVSG") == true else { throw .magic }
        guard let format = reader.integer(UInt32.self) else { throw .truncated }
        guard format > 0 else { throw .format }
        guard format <= Self.currentFormat else { throw .laterFormat }
        guard let kind = reader.integer(UInt8.self).flatMap(Kind.init) else { throw .kind }
        guard let group = reader.id(of: SyncSubject.Group.self),
            let device = reader.id(of: SyncSubject.Device.self),
            let number = reader.integer(UInt64.self), let previous = reader.raw(Head.hashSize),
            let epoch = reader.raw(EpochKeys.idSize)
        else { throw .truncated }
        guard number > 0, number < .max, (number == 1) == (previous == Head.noHash) else {
            throw .number
        }
        self.init(
            format: format, kind: kind, group: group, dot: Dot(device, number),
            previous: previous, epoch: epoch)
    }

    /// Seals bytes for one level, bound to this prefix.
    func seal(
        _ plaintext: RawSpan, _ level: SyncLevel, under key: LevelKey, random: RandomSource
    ) -> [UInt8] {
        Sealing.seal(plaintext, under: key.key, context(level), random: random)
    }

    /// The associated data of one level: everything before the body, by its hash, and the level.
    func context(_ level: SyncLevel) -> SealContext {
        SealContext(
            .segment, vaultID: group.bytes, id: dot.device.bytes, accessClass: level.rawValue,
            revision: dot.number, headerHash: Blake2b.hash(size: 32) { $0.feed(bytes) })
    }
}

/// One signed piece of a device's log of changes.
package struct Segment: Hashable, Sendable {
    /// The maximum size, in bytes.
    package static let limit = 1_048_576 + 65_536
    /// The maximum number of segments of one change.
    package static let changeLimit = 64
    /// The maximum size of a body before padding: the padded size is then the largest of Padmé that fits.
    package static let bodyLimit = 33 * 32_768 - 4

    package let prefix: SegmentPrefix
    /// The bytes between prefix and signature.
    package let body: [UInt8]
    /// The whole segment.
    package let bytes: [UInt8]

    /// Signs a segment.
    package init(_ prefix: SegmentPrefix, body: [UInt8], key: borrowing SigningKeyPair) {
        let message = prefix.bytes + body
        self.prefix = prefix
        self.body = body
        bytes = message + key.signature(of: message)
        precondition(bytes.count <= Self.limit)
    }

    /// Parses a segment. The signature is not verified.
    package init(_ bytes: [UInt8]) throws(SegmentFailure) {
        guard bytes.count <= Self.limit else { throw .tooLong }
        guard bytes.count >= SegmentPrefix.size + SigningKeyPair.signatureSize else {
            throw .truncated
        }
        prefix = try ByteReader.reading(bytes) { (reader) throws(SegmentFailure) in
            try SegmentPrefix(from: &reader)
        }
        body = Array(bytes[SegmentPrefix.size..<(bytes.count - SigningKeyPair.signatureSize)])
        self.bytes = bytes
    }

    /// Parses a segment that claims a place, and verifies its signature by the author's segment key.
    package init(
        _ bytes: [UInt8], of group: GroupID, at dot: Dot, signedBy key: [UInt8]
    ) throws(SegmentFailure) {
        try self.init(bytes)
        guard prefix.group == group else { throw .group }
        guard prefix.dot == dot else { throw .number }
        guard isSigned(by: key) else { throw .signature }
    }

    /// Whether the signature is that of a segment key.
    package func isSigned(by key: [UInt8]) -> Bool {
        SigningKeyPair.isSignature(
            Array(bytes.suffix(SigningKeyPair.signatureSize)),
            of: Array(bytes.dropLast(SigningKeyPair.signatureSize)), by: key)
    }

    /// The hash that the next segment and the heads of others name.
    package var hash: [UInt8] { Blake2b.hash(size: Head.hashSize) { $0.feed(bytes) } }
}
