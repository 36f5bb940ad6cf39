internal import Sealing
internal import SecureStorage

/// A snapshot as a segment announces it, one that its author has put (`Docs/Sync.md`, section 8).
package struct Snapshot: Hashable, Sendable {
    static let proofSize = 32

    /// The segment that announces it.
    package let dot: Dot
    /// The epoch of the segment and of the snapshot.
    package let epoch: [UInt8]
    /// The segments whose records it has.
    package let covered: VersionVector
    private let announcement: Announcement

    /// Its files, in their order.
    package var names: [BlobName] { announcement.names }

    /// The last part of a segment that announces a snapshot.
    struct Announcement: Hashable {
        let names: [BlobName]
        /// Shows that the author had V: the thief of a locked machine can announce nothing.
        let proof: [UInt8]

        var bytes: [UInt8] {
            var writer = ByteWriter()
            writer.names(names)
            writer.raw(proof)
            return writer.bytes
        }
    }

    /// The proof of an author, `hash(32, V, "TVSP" ‖ group ‖ dot ‖ vector ‖ names)`.
    static func proof(
        _ group: GroupID, _ dot: Dot, covered: VersionVector, _ names: [BlobName],
        under key: LevelKey
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVSP")
        writer.id(group)
        writer.dot(dot)
        writer.vector(covered)
        writer.names(names)
        return Blake2b.hash(size: proofSize, key: key.key) { $0.feed(writer.bytes) }
    }

    /// Whether the author had V.
    func isProven(in group: GroupID, under key: LevelKey) -> Bool {
        ConstantTime.areEqual(
            announcement.proof,
            Self.proof(group, dot, covered: covered, names, under: key))
    }

    // MARK: In a store

    /// The bytes that a store keeps, apart from the dot.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.raw(epoch)
        writer.vector(covered)
        writer.raw(announcement.bytes)
        return writer.bytes
    }
}

extension Snapshot {
    /// The snapshot that a segment announces.
    init(_ prefix: SegmentPrefix, seen: VersionVector, _ announcement: Announcement) {
        var covered = seen
        covered[prefix.dot.device] = prefix.dot.number - 1
        self.init(
            dot: prefix.dot, epoch: prefix.epoch, covered: covered, announcement: announcement)
    }

    /// Parses canonical bytes; nil for any other input.
    package init?(_ bytes: [UInt8], at dot: Dot) {
        let parsed = ByteReader.whole(bytes) { reader -> Snapshot? in
            guard let epoch = reader.raw(EpochKeys.idSize), let covered = reader.vector(),
                let announcement = Announcement(from: &reader)
            else { return nil }
            return Snapshot(
                dot: dot, epoch: epoch, covered: covered, announcement: announcement)
        }
        guard let parsed else { return nil }
        self = parsed
    }
}

extension Snapshot.Announcement {
    /// Parses canonical bytes; nil for any other input.
    init?(_ bytes: [UInt8]) {
        guard let parsed = ByteReader.whole(bytes, { Self(from: &$0) }) else { return nil }
        self = parsed
    }

    fileprivate init?(from reader: inout ByteReader) {
        guard let names = reader.names(), let proof = reader.raw(Snapshot.proofSize) else {
            return nil
        }
        self.init(names: names, proof: proof)
    }
}

extension ByteWriter {
    fileprivate mutating func names(_ names: [BlobName]) {
        integer(UInt32(names.count))
        for name in names { raw(name.bytes) }
    }
}

extension ByteReader {
    /// Reads at least one name.
    fileprivate mutating func names() -> [BlobName]? {
        guard let count = integer(UInt32.self), count > 0 else { return nil }
        var names: [BlobName] = []
        for _ in 0..<count {
            guard let name = raw(BlobName.size).flatMap({ BlobName($0) }) else { return nil }
            names.append(name)
        }
        return names
    }
}
