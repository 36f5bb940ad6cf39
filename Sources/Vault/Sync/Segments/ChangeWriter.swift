internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// A record to be written. Without an origin it is new; with one it is repeated as it was first written.
struct OutgoingRecord {
    let key: RecordKey
    let content: RecordContent
    let level: SyncLevel
    /// The level at which its author wrote it.
    let written: SyncLevel
    let origin: Origin?

    /// A new record.
    init(_ key: RecordKey, _ content: RecordContent, _ level: SyncLevel) {
        self.key = key
        self.content = content
        self.level = level
        written = level
        origin = nil
    }

    /// A record to be repeated, at its own level or at a higher one.
    init(repeating version: Version, at level: SyncLevel? = nil) {
        key = version.key
        content = version.content
        self.level = level ?? version.level
        written = version.written
        origin = version.origin
    }

    /// The version, in the segment that it was packed into.
    func version(in own: Origin, applied: Int64) -> Version {
        Version(key, content, level, origin ?? own, applied: applied, written: written)
    }
}

/// Writes the segments of one change.
struct ChangeWriter {
    let group: GroupID
    let epoch: EpochKeys
    let time: Int64
    let random: RandomSource

    /// Divides the records of a change between segments.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - headCount: The number of heads that a segment may have.
    ///   - limit: The maximum number of segments.
    /// - Returns: The records of each segment, at least one segment.
    /// - Throws: ``SyncError/recordTooLarge``, ``SyncError/changeTooLarge``.
    static func pack(
        _ records: [OutgoingRecord], headCount: Int, limit: Int = Segment.changeLimit
    ) throws(SyncError) -> [[OutgoingRecord]] {
        let parts = 2 * (Sealing.overhead + RecordList.emptySize) + 4
        let room = Segment.bodyLimit - SegmentBody.fixedSize - parts - 56 * headCount
        var segments: [[OutgoingRecord]] = [[]]
        var groups: Set<PackedGroup> = []
        var used = 0
        for record in records {
            let group = PackedGroup(
                dot: record.origin?.dot, level: record.level, written: record.written)
            let size =
                RecordList.size(record.key, record.content)
                + (record.level == .afterVerification ? RecordList.nameSize(record.key) : 0)
            let begin = RecordList.groupSize(record.origin)
            guard size + begin <= room else { throw .recordTooLarge }
            if used + size + (groups.contains(group) ? 0 : begin) > room {
                guard segments.count < limit else { throw .changeTooLarge }
                segments.append([])
                groups = []
                used = 0
            }
            used += size + (groups.insert(group).inserted ? begin : 0)
            segments[segments.count - 1].append(record)
        }
        return segments
    }

    private struct PackedGroup: Hashable {
        let dot: Dot?
        let level: SyncLevel
        let written: SyncLevel
    }

    /// Seals and signs one segment.
    ///
    /// - Parameters:
    ///   - versions: Its records.
    ///   - dot: Author and number.
    ///   - previous: The hash of the author's previous segment.
    ///   - heads: The heads to name.
    ///   - following: The number of segments of the change that follow.
    ///   - kind: A change, or a file of a snapshot.
    ///   - addition: The last part of the body.
    ///   - key: The segment key.
    ///   - withSecret: Calls its closure with the secret of a record.
    /// - Returns: The segment.
    /// - Throws: ``SyncError/levelLocked(_:)``; `SecretMemoryError.outOfMemory`; the errors of `withSecret`.
    func segment(
        _ versions: [Version], at dot: Dot, after previous: [UInt8], naming heads: Heads,
        following: Int, kind: SegmentPrefix.Kind = .change, addition: [UInt8] = [],
        key: borrowing SigningKeyPair,
        withSecret: (RecordKey, (RawSpan) -> Void) throws -> Void
    ) throws -> Segment {
        let prefix = SegmentPrefix(
            kind: kind, group: group, dot: dot, previous: previous, epoch: epoch.id)
        let levels = Dictionary(grouping: versions, by: \.level)
        let (listNames, listed) = RecordList.names(levels[.list] ?? [], at: dot)
        let (verifiedNames, verified) = RecordList.names(levels[.afterVerification] ?? [], at: dot)
        let (unlockedNames, unlocked) = RecordList.names(levels[.whileUnlocked] ?? [], at: dot)
        var announced = ByteWriter()
        announced.integer(UInt32(verified.count))
        for version in verified {
            announced.id(version.object)
            announced.field(version.field)
            announced.stamp(version.stamp)
        }
        var body = ByteWriter()
        body.integer(time)
        body.integer(UInt8(following))
        body.heads(heads)
        body.raw(listNames)
        for version in listed { body.raw(version.content.bytes ?? []) }
        let hasVerified = !verified.isEmpty
        let hasParts = hasVerified || !unlocked.isEmpty
        body.sized(
            try hasParts
                ? part(.whileUnlocked, prefix, unlockedNames, unlocked, announced.bytes, withSecret)
                : [])
        body.sized(
            try hasVerified
                ? part(.afterVerification, prefix, verifiedNames, verified, [], withSecret) : [])
        body.sized(addition)
        guard body.bytes.count <= Segment.bodyLimit else { throw SyncError.changeTooLarge }
        guard let listKey = epoch[.list] else { throw SyncError.levelLocked(.list) }
        return Segment(
            prefix,
            body: try Sealing.sealPadded(
                unsafe body.bytes.span.bytes, under: listKey.key, prefix.context(.list),
                random: random),
            key: key)
    }

    /// Composes and seals the part of a level in guarded memory.
    private func part(
        _ level: SyncLevel, _ prefix: SegmentPrefix, _ names: [UInt8], _ order: [Version],
        _ end: [UInt8], _ withSecret: (RecordKey, (RawSpan) -> Void) throws -> Void
    ) throws -> [UInt8] {
        guard let key = epoch[level] else { throw SyncError.levelLocked(level) }
        let size = names.count + order.reduce(0) { $0 + $1.content.size } + end.count
        return try SecretBufferPool.shared.withBuffer(count: size) { plaintext in
            plaintext.withMutableBytes { $0.copy(unsafe names.span.bytes) }
            var offset = names.count
            for version in order {
                if let bytes = version.content.bytes {
                    plaintext.withMutableBytes { $0.copy(unsafe bytes.span.bytes, at: offset) }
                } else {
                    try withSecret(version.key) { secret in
                        plaintext.withMutableBytes { $0.copy(secret, at: offset) }
                    }
                }
                offset += version.content.size
            }
            plaintext.withMutableBytes { $0.copy(unsafe end.span.bytes, at: offset) }
            return plaintext.withBytes { prefix.seal($0, level, under: key, random: random) }
        }
    }
}
