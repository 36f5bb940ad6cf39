internal import Platform
internal import Sealing
internal import SecureStorage
internal import VaultStorage

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

/// One bucket of the index, after the digests of its rows matched its stored sum (`Docs/Format.md`, section 6).
struct VerifiedBucket {
    var bucket = Bucket()
    var digests: RowDigests
    /// The descriptions of its items, in the order of ``digests``; nil before the first list or
    /// search.
    var descriptions: BucketDescriptions?

    /// - Parameter number: The number of the bucket.
    init(number: Int) {
        digests = RowDigests(ofEarlierRows: !ItemRecord.buckets.contains(number))
    }

    /// Takes over the changes of a commit.
    ///
    /// - Parameters:
    ///   - bucket: The new sum.
    ///   - digests: The digests of the changed rows; nil for a removed row.
    ///   - items: The descriptions of the new and replaced rows, one in each; nil if they are not known.
    mutating func apply(
        _ bucket: Bucket, _ digests: [RowKey: RowDigest?], _ items: [RowKey: BucketDescriptions]?
    ) {
        self.bucket = bucket
        if items == nil { descriptions = nil }
        for (key, digest) in digests {
            let (row, isFound) = self.digests.place(of: key)
            self.digests[key] = digest
            if digest != nil, let item = items?[key] {
                descriptions?.put(item, at: row, replacing: isFound)
            } else if digest != nil {
                descriptions = nil
            } else if isFound {
                descriptions?.remove(row)
            }
        }
    }
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
