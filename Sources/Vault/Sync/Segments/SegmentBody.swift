internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The opened body of a segment (`Docs/Sync.md`, section 4).
struct SegmentBody {
    /// The wall clock of the author, in milliseconds since 1970-01-01 UTC.
    let time: Int64
    /// The number of segments of the same change that follow.
    let following: Int
    /// The heads that changed since the author's previous segment; all in every 64th, and in one that announces a snapshot.
    let heads: Heads
    /// All segments that the author had seen.
    let seen: VersionVector
    /// The records of the list.
    let records: [TravellingRecord]
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
        try ByteReader.reading(bytes) { (reader) throws(SegmentFailure) in
            guard let time = reader.integer(Int64.self), let following = reader.integer(UInt8.self),
                following < Segment.changeLimit, let heads = reader.heads()
            else { throw .bodyContent }
            let seen = try vector(heads, prefix.dot, before)
            let origin = Origin(dot: prefix.dot, seen: seen)
            guard let records = RecordList.read(&reader, .list, in: origin),
                let unlocked = reader.sized(), let verified = reader.sized(),
                let addition = reader.sized(), reader.isAtEnd,
                verified.isEmpty || !unlocked.isEmpty
            else { throw .bodyContent }
            let parts: [SyncLevel: [UInt8]] = [
                .whileUnlocked: unlocked, .afterVerification: verified,
            ]
            let body = SegmentBody(
                time: time, following: Int(following), heads: heads, seen: seen, records: records,
                parts: parts.filter { !$0.value.isEmpty }, addition: addition)
            try body.check(as: prefix)
            return body
        }
    }

    /// Checks what the kind of the segment demands.
    private func check(as prefix: SegmentPrefix) throws(SegmentFailure) {
        if prefix.kind == .snapshot {
            guard following == 0, ChainRun.runs(addition) != nil else { throw .bodyContent }
            guard heads.isEmpty else { throw .heads }
            return
        }
        if !addition.isEmpty {
            guard Snapshot.Announcement(addition) != nil, prefix.dot.number > 1 else {
                throw .bodyContent
            }
        }
        let namesAll = Self.namesAllHeads(prefix.dot.number) || !addition.isEmpty
        guard !namesAll || heads.count == seen.numbers.count else { throw .heads }
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
                let read = ByteReader.reading(bytes) {
                    reader -> (records: [TravellingRecord], announced: [RecordKey])? in
                    guard let records = RecordList.read(&reader, level, in: origin),
                        let announced = level == .whileUnlocked ? reader.keys() : [],
                        reader.isAtEnd
                    else { return nil }
                    return (records, announced)
                }
                guard let (records, announced) = read,
                    level == .whileUnlocked || records.map(\.key) == self.announced
                else { throw SegmentFailure.partContent }
                try names(announced)
                for record in records { try visit(record, bytes.extracting(record.range)) }
            }
        }
    }
}

extension ByteReader {
    /// Reads the names of the records in part V, with which part U ends.
    fileprivate mutating func keys() -> [RecordKey]? {
        guard let count = integer(UInt32.self) else { return nil }
        var keys: [RecordKey] = []
        for _ in 0..<count {
            guard let object = id(of: SyncSubject.Object.self), let field = field(),
                let stamp = stamp()
            else { return nil }
            keys.append(RecordKey(object, field, stamp))
        }
        return keys
    }
}
