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

/// A bucket whose rows match their sum.
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
    ///   - items: The descriptions of the new and replaced rows; nil if they are not known.
    mutating func apply(
        _ bucket: Bucket, _ digests: [RowKey: RowDigest?], _ items: [RowKey: SecretItem]?
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

/// The digests of the rows of one bucket, ordered by key.
///
/// A dictionary would take three times as much memory, which counts at 100,000 items.
struct RowDigests {
    private struct Row {
        let key: RowKey.Words
        var digest: RowDigest
    }

    private let isEarlier: Bool
    private var rows: [Row] = []

    /// - Parameter isEarlier: Whether the rows are earlier ones.
    init(ofEarlierRows isEarlier: Bool) {
        self.isEarlier = isEarlier
    }

    /// The keys, in ascending order.
    var keys: [RowKey] { rows.map { RowKey($0.key, isEarlier: isEarlier) } }

    /// The place of a key, or the place where it belongs and `false`.
    func place(of key: RowKey) -> (index: Int, isFound: Bool) {
        let words = key.words
        // Most rows are added in the order of their keys.
        guard let last = rows.last, last.key >= words else { return (rows.count, false) }
        var (low, high) = (0, rows.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].key < words { low = middle + 1 } else { high = middle }
        }
        return (low, rows[low].key == words)
    }

    /// The digest of a row; nil if there is none. Setting nil removes it.
    subscript(key: RowKey) -> RowDigest? {
        get {
            let (index, isFound) = place(of: key)
            return isFound ? rows[index].digest : nil
        }
        set {
            let (index, isFound) = place(of: key)
            switch (newValue, isFound) {
            case (let digest?, true): rows[index].digest = digest
            case (let digest?, false): rows.insert(Row(key: key.words, digest: digest), at: index)
            case (nil, true): rows.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Reserves memory for a number of rows.
    mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }
}

/// The primary key of a row: the lookup tag, or the id and the revision of an earlier row.
struct RowKey: Hashable, Comparable, Sendable {
    /// The key as numbers that sort like its bytes.
    struct Words: Hashable, Comparable, Sendable {
        var first: UInt64
        var second: UInt64
        var third: UInt64
        var fourth: UInt64

        static func < (left: Words, right: Words) -> Bool {
            if left.first != right.first { return left.first < right.first }
            if left.second != right.second { return left.second < right.second }
            return left.third == right.third
                ? left.fourth < right.fourth : left.third < right.third
        }
    }

    fileprivate let words: Words
    private let isEarlier: Bool

    /// - Parameter tag: 32 bytes.
    init(tag: [UInt8]) {
        words = Words(
            first: tag.word(0), second: tag.word(1), third: tag.word(2), fourth: tag.word(3))
        isEarlier = false
    }

    /// - Parameters:
    ///   - itemID: 16 bytes.
    ///   - revision: The revision of the earlier row.
    init(itemID: [UInt8], revision: UInt64) {
        words = Words(first: itemID.word(0), second: itemID.word(1), third: revision, fourth: 0)
        isEarlier = true
    }

    fileprivate init(_ words: Words, isEarlier: Bool) {
        self.words = words
        self.isEarlier = isEarlier
    }

    static func < (left: RowKey, right: RowKey) -> Bool { left.words < right.words }

    func hash(into hasher: inout Hasher) {
        // One word suffices: a tag is a keyed hash, an id is random, and rows of one id are few.
        hasher.combine(words.first)
        hasher.combine(words.third)
    }

    /// The number of the row's bucket.
    var bucket: Int { Int(words.first >> 56) + (isEarlier ? 256 : 0) }

    /// The first 8 bytes as a number that sorts like the bytes.
    var order: UInt64 { words.first }

    /// The tag of an item, 32 bytes.
    var tag: [UInt8] { [words.first, words.second, words.third, words.fourth].flatMap(\.bytes) }

    /// The item id of an earlier row, 16 bytes.
    var itemID: [UInt8] { [words.first, words.second].flatMap(\.bytes) }

    /// The revision of an earlier row.
    var revision: UInt64 { words.third }

    /// Whether two earlier rows are of one item.
    func hasSameItem(as other: RowKey) -> Bool {
        words.first == other.words.first && words.second == other.words.second
    }
}

/// The first 16 bytes of a row's element, which is a keyed hash: they suffice to identify the row.
struct RowDigest: Equatable, Sendable {
    private let first: UInt64
    private let second: UInt64

    init(element: [UInt8]) {
        first = element.word(0)
        second = element.word(1)
    }
}

extension [UInt8] {
    /// A word of 8 bytes, as a number that sorts like the bytes.
    fileprivate func word(_ index: Int) -> UInt64 {
        precondition(count >= 8 * (index + 1))
        return unsafe withUnsafeBytes {
            unsafe UInt64(
                bigEndian: $0.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
    }
}

extension UInt64 {
    /// The bytes, the highest first.
    fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) } }
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
