internal import Platform
internal import Sealing
public import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The reason why a log of reads is rejected.
public enum ReadLogError: Error, Sendable, Hashable {
    /// The file is not a log of this vault.
    case foreign
    /// The record with this index, from 0, was changed, moved or removed.
    case changed(record: Int)
    /// The log is shorter than the vault recorded: records at its end are missing.
    case truncated
    /// The file cannot be read.
    case unreadable(code: Int32)
}

/// A verified log of reads.
public struct ReadLogContent: Sendable {
    /// The reads, in the order of the file.
    public private(set) var reads: [LoggedRead] = []
    /// The number of reads that could not be written.
    public private(set) var lost: UInt64 = 0
    /// Whether records were cut or the file was removed before later records.
    public private(set) var isCut = false
    /// Whether the last record marks the end of the file with a successor.
    private var isEnded = false

    /// Reads a log: the former file and the current one.
    ///
    /// - Parameters:
    ///   - path: The current file; a missing one is empty.
    ///   - vaultID: The vault's id.
    ///   - secretKey: The key of the log.
    ///   - head: The vault's head; empty if it has none.
    /// - Throws: ``ReadLogError``; `SecretMemoryError`.
    public init(
        _ path: String, of vaultID: [UInt8], secretKey: borrowing SecretBytes, head: [UInt8]?
    ) throws {
        let pair = BoxKeyPair(secretKey: try secretKey.copy())
        let (former, last) = try Self.content(path)
        var result = ReadLogContent()
        var isHeadFound = head == nil
        var formerHead: [UInt8] = []
        if !former.isEmpty {
            let end = try result.add(former, with: pair, vaultID, until: head ?? [])
            // Without this record, an attacker with only the files renamed it early, so that an
            // earlier one was dropped.
            guard result.isEnded else { throw ReadLogError.truncated }
            isHeadFound = isHeadFound || end.hasPassed(head ?? [])
            formerHead = end.head
        }
        if !last.isEmpty {
            let end = try result.add(last, with: pair, vaultID, until: head ?? [])
            guard end.former == formerHead else { throw ReadLogError.truncated }
            isHeadFound = isHeadFound || end.isHeadFound
        }
        guard isHeadFound else { throw ReadLogError.truncated }
        self = result
    }

    /// No reads.
    public init() {}

    private static func content(_ path: String) throws -> (former: [UInt8], last: [UInt8]) {
        let former = ReadLogPlace.former(path)
        guard FileSystem.exists(path) || FileSystem.exists(former) else { return ([], []) }
        do {
            // While the file is locked, it cannot become the former one.
            let file = try LockedLog(path)
            return (try LockedLog.content(former) ?? [], try file.bytes(file.size))
        } catch let failure as SystemFailure {
            throw ReadLogError.unreadable(code: failure.code)
        }
    }

    /// Adds the records of a file.
    private mutating func add(
        _ bytes: [UInt8], with pair: borrowing BoxKeyPair, _ vaultID: [UInt8], until head: [UInt8]
    ) throws -> ReadLogFile.End {
        var segment = Segment()
        let end = try ReadLogFile.walk(bytes, vaultID, until: head) { number, kind, body, chain in
            isEnded = false
            do {
                switch ReadLogFile.Kind(rawValue: kind) {
                case .begin: segment = try Segment(opening: body, with: pair, after: chain)
                case .reads: try add(body, of: &segment, vaultID)
                case .former where number == 0: break
                case .former, nil: throw SealingError.doesNotOpen
                }
            } catch is SealingError {
                throw ReadLogError.changed(record: number)
            }
        }
        guard let end else { throw ReadLogError.foreign }
        guard end.size == bytes.count else { throw ReadLogError.truncated }
        return end
    }

    private mutating func add(
        _ body: [UInt8], of segment: inout Segment, _ vaultID: [UInt8]
    ) throws {
        guard let key = segment.key else { throw SealingError.doesNotOpen }
        let context = ReadLogFile.context(vaultID, segment.id, segment.number)
        let found = try Sealing.withOpenedPadded(body, under: key.key, context) { content in
            content.withBytes { bytes in
                ByteReader.reading(bytes) { reader -> (UInt32, [LoggedRead])? in
                    guard let lost = reader.integer(UInt32.self) else { return nil }
                    var reads: [LoggedRead] = []
                    while !reader.isAtEnd {
                        guard let read = reader.read() else { return nil }
                        reads.append(read)
                    }
                    return (lost, reads)
                }
            }
        }
        guard let found else { throw SealingError.doesNotOpen }
        switch found.0 {
        case ReadLogFile.cutSentinel: isCut = true
        case ReadLogFile.endSentinel: isEnded = true
        default: lost += UInt64(found.0)
        }
        reads += found.1
        segment.number += 1
        segment.key = Segment.SegmentKey(try key.key.next())
    }

    /// The records of one process.
    private struct Segment {
        final class SegmentKey {
            let key: Key<Purpose.ReadLog>

            init(_ key: consuming Key<Purpose.ReadLog>) { self.key = key }
        }

        var key: SegmentKey?
        var id: [UInt8] = []
        var number: UInt64 = 0

        init() {}

        init(opening box: [UInt8], with pair: borrowing BoxKeyPair, after chain: [UInt8]) throws {
            var plain = try SecretBytes(count: ReadLogFile.beginSize)
            try pair.open(box, into: &plain)
            let rest = plain.withBytes { $0.extracting(32..<ReadLogFile.beginSize).array }
            guard Array(rest[16...]) == chain else { throw SealingError.doesNotOpen }
            id = Array(rest[..<16])
            key = SegmentKey(Key(try plain.copy(from: 0, count: 32)))
        }
    }
}
