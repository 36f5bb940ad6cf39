internal import Platform
internal import Sealing
public import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Why a log of reads is not believed.
public enum ReadLogError: Error, Sendable, Hashable {
    /// It is no log of this vault.
    case foreign
    /// This record, counted from 0, was changed, moved, or is missing.
    case changed(record: Int)
    /// The end is missing that the vault knows.
    case truncated
    /// The file cannot be read.
    case unreadable(code: Int32)
}

/// A verified log of reads.
public struct ReadLogContent: Sendable {
    /// The reads, in the order of the file.
    public private(set) var reads: [LoggedRead] = []
    /// How many reads could not be written.
    public private(set) var lost: UInt64 = 0
    /// Whether records were cut off, or the file was removed, and the log went on.
    public private(set) var isCut = false

    /// Reads a log.
    ///
    /// - Parameters:
    ///   - path: The file; a missing one is empty.
    ///   - vaultID: The vault's id.
    ///   - secretKey: The key of the log.
    ///   - head: The head that the vault has, if it has one.
    /// - Throws: ``ReadLogError``; `SecretMemoryError`.
    public init(
        _ path: String, of vaultID: [UInt8], secretKey: borrowing SecretBytes, head: [UInt8]?
    ) throws {
        let bytes = try Self.content(path)
        let pair = BoxKeyPair(secretKey: try secretKey.copy())
        if bytes.isEmpty {
            if head != nil { throw ReadLogError.truncated }
            return
        }
        var segment = Segment()
        var result = ReadLogContent()
        let end = try ReadLogFile.walk(bytes, vaultID, until: head ?? []) {
            number, kind, body, chain in
            do {
                switch ReadLogFile.Kind(rawValue: kind) {
                case .begin: segment = try Segment(opening: body, with: pair, after: chain)
                case .reads: try result.add(body, of: &segment, vaultID)
                case nil: throw SealingError.doesNotOpen
                }
            } catch is SealingError {
                throw ReadLogError.changed(record: number)
            }
        }
        guard let end else { throw ReadLogError.foreign }
        guard end.isHeadFound, end.size == bytes.count else {
            throw ReadLogError.truncated
        }
        self = result
    }

    /// No reads.
    public init() {}

    private static func content(_ path: String) throws -> [UInt8] {
        guard FileSystem.exists(path) else { return [] }
        do {
            let file = try LockedLog(path)
            return try file.bytes(file.size)
        } catch let failure as SystemFailure {
            throw ReadLogError.unreadable(code: failure.code)
        }
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
        if found.0 == ReadLogFile.cutMark { isCut = true } else { lost += UInt64(found.0) }
        reads += found.1
        segment.number += 1
        segment.key = Segment.Held(try key.key.next())
    }

    /// The records of one process.
    private struct Segment {
        final class Held {
            let key: Key<Purpose.ReadLog>

            init(_ key: consuming Key<Purpose.ReadLog>) { self.key = key }
        }

        var key: Held?
        var id: [UInt8] = []
        var number: UInt64 = 0

        init() {}

        init(opening box: [UInt8], with pair: borrowing BoxKeyPair, after chain: [UInt8]) throws {
            var plain = try SecretBytes(count: ReadLogFile.beginSize)
            try pair.open(box, into: &plain)
            let rest = plain.withBytes { $0.extracting(32..<ReadLogFile.beginSize).array }
            guard Array(rest[16...]) == chain else { throw SealingError.doesNotOpen }
            id = Array(rest[..<16])
            key = Held(Key(try plain.copy(from: 0, count: 32)))
        }
    }
}
