internal import Sealing
internal import SecureStorage

/// A snapshot that an author has put, as the segment that announces it says (`Docs/Sync.md`, section 8).
package struct Snapshot: Hashable, Sendable {
    static let proofSize = 32

    /// The segment that announces it.
    package let dot: Dot
    /// The epoch of the segment and of the snapshot.
    package let epoch: [UInt8]
    /// The segments whose records it has.
    package let covered: VersionVector
    /// Its files, in their order.
    package let names: [BlobName]
    /// Shows that the author had V: the thief of a locked machine can announce nothing.
    package let proof: [UInt8]

    init(
        _ dot: Dot, _ epoch: [UInt8], covered: VersionVector, _ names: [BlobName],
        proof: [UInt8]
    ) {
        self.dot = dot
        self.epoch = epoch
        self.covered = covered
        self.names = names
        self.proof = proof
    }

    /// The snapshot that a segment announces.
    init(_ prefix: SegmentPrefix, seen: VersionVector, _ announcement: Announcement) {
        var covered = seen
        covered[prefix.dot.device] = prefix.dot.number - 1
        self.init(
            prefix.dot, prefix.epoch, covered: covered, announcement.names,
            proof: announcement.proof)
    }

    /// The last part of a segment that announces a snapshot.
    struct Announcement {
        let names: [BlobName]
        let proof: [UInt8]

        var bytes: [UInt8] {
            var writer = ByteWriter()
            writer.names(names)
            writer.raw(proof)
            return writer.bytes
        }

        init(_ names: [BlobName], proof: [UInt8]) {
            self.names = names
            self.proof = proof
        }

        /// Parses canonical bytes; nil for any other input.
        init?(_ bytes: [UInt8]) {
            let parsed = ByteReader.reading(bytes) { reader -> Announcement? in
                guard let names = reader.names(), let proof = reader.raw(Snapshot.proofSize),
                    reader.isAtEnd
                else { return nil }
                return Announcement(names, proof: proof)
            }
            guard let parsed else { return nil }
            self = parsed
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
            proof, Self.proof(group, dot, covered: covered, names, under: key))
    }

    // MARK: In a store

    /// The bytes that a store keeps, apart from the dot.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.raw(epoch)
        writer.vector(covered)
        writer.names(names)
        writer.raw(proof)
        return writer.bytes
    }

    /// Parses canonical bytes; nil for any other input.
    package init?(_ bytes: [UInt8], at dot: Dot) {
        let parsed = ByteReader.reading(bytes) { reader -> Snapshot? in
            guard let epoch = reader.raw(EpochStatement.idSize), let covered = reader.vector(),
                let names = reader.names(), let proof = reader.raw(Self.proofSize),
                reader.isAtEnd
            else { return nil }
            return Snapshot(dot, epoch, covered: covered, names, proof: proof)
        }
        guard let parsed else { return nil }
        self = parsed
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
