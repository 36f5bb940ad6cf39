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

    let words: Words
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

    init(_ words: Words, isEarlier: Bool) {
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
