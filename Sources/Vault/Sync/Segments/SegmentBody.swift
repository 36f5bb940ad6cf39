internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The opened body of a segment (`Docs/Sync.md`, section 4).
struct SegmentBody {
    /// A record of the list, with its content.
    typealias ListRecord = (record: TravellingRecord, content: [UInt8])

    /// The wall clock of the author, in milliseconds since 1970-01-01 UTC.
    let time: Int64
    /// The number of segments of the same change that follow.
    let following: Int
    /// The heads that changed since the author's previous segment; all in every 64th, and in one that announces a snapshot.
    let heads: Heads
    /// All segments that the author had seen.
    let seen: VersionVector
    let records: [ListRecord]
    /// The sealed parts of the higher levels that have records.
    let parts: [SyncLevel: [UInt8]]
    /// Of a change the announcement of a snapshot, mostly empty; of a file of a snapshot its runs.
    let addition: [UInt8]

    static let fixedSize = 8 + 1 + 4 + RecordList.emptySize + 4 + 4 + 4

    /// Whether a segment names all heads, so that a reader can begin there.
    static func namesAllHeads(_ number: UInt64) -> Bool { number.isMultiple(of: 64) }

    /// Opens a body.
    ///
    /// - Parameters:
    ///   - segment: The segment.
    ///   - keys: The keys of its epoch.
    ///   - before: The segments that the author had seen before.
    /// - Returns: The opened body.
    /// - Throws: ``SegmentFailure``; `SecretMemoryError.outOfMemory`.
    static func open(
        _ segment: Segment, _ keys: EpochKeys, after before: VersionVector
    ) throws -> SegmentBody {
        guard let key = keys[.list] else { throw SegmentFailure.bodySeal }
        do {
            return try Sealing.withOpenedPadded(
                segment.body, under: key.key, segment.prefix.context(.list)
            ) { body in try body.withBytes { try read($0, segment.prefix, before) } }
        } catch SealingError.doesNotOpen {
            throw SegmentFailure.bodySeal
        } catch SealingError.padding {
            throw SegmentFailure.bodyPadding
        }
    }

    private static func read(
        _ bytes: RawSpan, _ prefix: SegmentPrefix, _ before: VersionVector
    ) throws(SegmentFailure) -> SegmentBody {
        let dot = prefix.dot
        let beginning = ByteReader.reading(bytes) { reader -> (Int64, Int, Heads, Int)? in
            guard let time = reader.integer(Int64.self), let following = reader.integer(UInt8.self),
                following < Segment.changeLimit, let heads = reader.heads()
            else { return nil }
            return (time, Int(following), heads, reader.offset)
        }
        guard let (time, following, heads, start) = beginning else { throw .bodyContent }
        let origin = Origin(dot: dot, seen: try vector(heads, dot, before))
        guard let (records, end) = RecordList.read(bytes, from: start, .list, in: origin) else {
            throw .bodyContent
        }
        typealias Ending = (parts: [SyncLevel: [UInt8]], addition: [UInt8])
        let ending = ByteReader.reading(bytes) { reader -> Ending? in
            guard reader.skip(end), let unlocked = reader.sized(), let verified = reader.sized(),
                let addition = reader.sized(), reader.isAtEnd,
                verified.isEmpty || !unlocked.isEmpty
            else { return nil }
            let parts: [SyncLevel: [UInt8]] = [
                .whileUnlocked: unlocked, .afterVerification: verified,
            ]
            return (parts.filter { !$0.value.isEmpty }, addition)
        }
        guard let (parts, addition) = ending else { throw .bodyContent }
        switch prefix.kind {
        case .snapshot:
            guard following == 0, ChainRun.runs(addition) != nil else { throw .bodyContent }
            guard heads.isEmpty else { throw .heads }
        default:
            let isAnnouncing = !addition.isEmpty
            guard !isAnnouncing || Snapshot.Announcement(addition) != nil && dot.number > 1 else {
                throw .bodyContent
            }
            guard
                !namesAllHeads(dot.number) && !isAnnouncing
                    || heads.count == origin.seen.numbers.count
            else { throw .heads }
        }
        var contents: [ListRecord] = []
        for record in records { contents.append((record, bytes.extracting(record.range).array)) }
        return SegmentBody(
            time: time, following: following, heads: heads, seen: origin.seen, records: contents,
            parts: parts, addition: addition)
    }

    /// All that the author had seen: what it had before, and the heads that changed.
    private static func vector(
        _ heads: Heads, _ dot: Dot, _ before: VersionVector
    ) throws(SegmentFailure) -> VersionVector {
        guard heads[dot.device] == nil else { throw .heads }
        var seen = before
        for (device, head) in heads {
            guard head.number >= before[device] else { throw .heads }
            seen[device] = head.number
        }
        return seen
    }
}

/// The part for U or V of a segment, sealed as it came.
package struct SealedPart: Hashable, Sendable {
    package let level: SyncLevel
    package let prefix: SegmentPrefix
    /// The segments that the author had seen.
    package let seen: VersionVector
    package let blob: [UInt8]
    /// For V: the names of its records, from part U. Empty until that was opened.
    package var announced: [RecordKey]

    package init(
        level: SyncLevel, prefix: SegmentPrefix, seen: VersionVector, blob: [UInt8],
        announced: [RecordKey]
    ) {
        self.level = level
        self.prefix = prefix
        self.seen = seen
        self.blob = blob
        self.announced = announced
    }

    /// Opens the part.
    ///
    /// - Parameters:
    ///   - key: The key of the level.
    ///   - names: Gets, for U, the names of the records in part V.
    ///   - visit: Gets each record and its content, which must not outlive the call.
    /// - Throws: ``SegmentFailure/partSeal`` and ``SegmentFailure/partContent``, before the first visit; `SecretMemoryError.outOfMemory`;
    /// the errors of `visit`.
    func open(
        under key: LevelKey, names: ([RecordKey]) throws -> Void,
        visit: (TravellingRecord, RawSpan) throws -> Void
    ) throws {
        guard blob.count >= Sealing.overhead else { throw SegmentFailure.partSeal }
        try SecretBufferPool.shared.withBuffer(count: blob.count - Sealing.overhead) { buffer in
            do {
                try Sealing.open(blob, under: key.key, prefix.context(level), into: &buffer)
            } catch is SealingError {
                throw SegmentFailure.partSeal
            }
            try buffer.withBytes { bytes in
                let origin = Origin(dot: prefix.dot, seen: seen)
                guard let (records, end) = RecordList.read(bytes, from: 0, level, in: origin),
                    let announced = Self.announced(bytes, from: end, level)
                else { throw SegmentFailure.partContent }
                if level == .afterVerification, records.map(\.key) != self.announced {
                    throw SegmentFailure.partContent
                }
                try names(announced)
                for record in records { try visit(record, bytes.extracting(record.range)) }
            }
        }
    }

    /// Reads the names of the records in part V, which part U ends with.
    private static func announced(
        _ bytes: RawSpan, from start: Int, _ level: SyncLevel
    ) -> [RecordKey]? {
        ByteReader.reading(bytes) { reader -> [RecordKey]? in
            guard reader.skip(start) else { return nil }
            var keys: [RecordKey] = []
            if level == .whileUnlocked {
                guard let count = reader.integer(UInt32.self) else { return nil }
                for _ in 0..<count {
                    guard let object = reader.id(of: SyncSubject.Object.self),
                        let field = reader.field(), let stamp = reader.stamp()
                    else { return nil }
                    keys.append(RecordKey(object, field, stamp))
                }
            }
            return reader.isAtEnd ? keys : nil
        }
    }
}
