internal import Sealing
internal import VaultStorage

/// The verified content of a vault, from which a session answers.
struct VerifiedIndex {
    /// The stored state record; a different one in storage indicates a write by another process.
    var stateRecord: [UInt8]
    var state: VaultState
    /// The stored bucket records by number, covered by the state's sum.
    var bucketRecords: [[UInt8]?]
    /// The verified buckets.
    var buckets: [VerifiedBucket?]
}

/// One bucket whose rows match their sum.
struct VerifiedBucket {
    var bucket = Bucket()
    var digests: [ItemTag: RowDigest] = [:]
}

/// A lookup tag as a key of dictionaries.
struct ItemTag: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter bytes: 32 bytes.
    init(_ bytes: [UInt8]) {
        words = Words.load(bytes)
    }

    static func == (left: ItemTag, right: ItemTag) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        // A tag is the output of a keyed hash: any word of it is uniformly distributed.
        hasher.combine(words.0)
    }

    /// The number of the tag's bucket.
    var firstByte: UInt8 { UInt8(truncatingIfNeeded: words.0.littleEndian) }

    var bytes: [UInt8] { Words.store(words) }
}

/// The first half of a row's element, which suffices to recognise the row.
struct RowDigest: Equatable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(element: [UInt8]) {
        words = Words.load(element)
    }

    static func == (left: RowDigest, right: RowDigest) -> Bool { left.words == right.words }
}

private enum Words {
    static func load(_ bytes: [UInt8]) -> (UInt64, UInt64, UInt64, UInt64) {
        precondition(bytes.count >= 32)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
            )
        }
    }

    static func store(_ words: (UInt64, UInt64, UInt64, UInt64)) -> [UInt8] {
        unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }
}
