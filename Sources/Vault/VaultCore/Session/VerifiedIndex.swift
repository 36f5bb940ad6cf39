internal import Platform
internal import Sealing

/// The verified content of a vault, from which a session answers.
struct VerifiedIndex {
    /// The stored state record; a different one in storage indicates a write by another process.
    var stateRecord: [UInt8]
    var state: VaultState
    /// The stored bucket records by number; the state's sum covers them.
    var bucketRecords = [[UInt8]?](repeating: nil, count: Bucket.totalCount)
    /// The verified buckets.
    var buckets = [VerifiedBucket?](repeating: nil, count: Bucket.totalCount)
    /// The positions of all items, ordered by name; nil before the first list and after a change.
    var order: [DescriptionPosition]?
}

/// A bucket whose rows match their sum.
struct VerifiedBucket {
    var bucket = Bucket()
    var digests: [RowKey: RowDigest] = [:]
    /// The descriptions of its items; nil before the first list or search, and after a change.
    var descriptions: BucketDescriptions?
}

extension [UInt8] {
    /// Whether the first bytes are `other`. Each read compares whole records, and `==` compares byte by byte.
    ///
    /// The corresponding C function is `memcmp`.
    func begins(with other: [UInt8]) -> Bool {
        guard count >= other.count else { return false }
        return unsafe memcmp(self, other, other.count) == 0
    }
}
