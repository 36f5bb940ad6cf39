/// The primary key of a row: the lookup tag, or the id and the revision of an earlier row.
struct RowKey: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let isEarlier: Bool

    /// - Parameter tag: 32 bytes.
    init(tag: [UInt8]) {
        words = Words.load(tag)
        isEarlier = false
    }

    /// - Parameters:
    ///   - itemID: 16 bytes.
    ///   - revision: The revision of the earlier row.
    init(itemID: [UInt8], revision: UInt64) {
        let id = Words.load(itemID + [UInt8](repeating: 0, count: 16))
        words = (id.0, id.1, revision, 0)
        isEarlier = true
    }

    static func == (left: RowKey, right: RowKey) -> Bool {
        left.words == right.words && left.isEarlier == right.isEarlier
    }

    func hash(into hasher: inout Hasher) {
        // One word suffices: a tag is a keyed hash, an id is random, and rows of one id are few.
        hasher.combine(words.0)
        hasher.combine(words.2)
    }

    /// The number of the row's bucket.
    var bucket: Int { Int(UInt8(truncatingIfNeeded: words.0.littleEndian)) + (isEarlier ? 256 : 0) }

    /// The first 8 bytes as a number that sorts like the bytes.
    var order: UInt64 { words.0.bigEndian }

    /// The tag of an item, 32 bytes.
    var tag: [UInt8] { Words.store(words) }

    /// The item id of an earlier row, 16 bytes.
    var itemID: [UInt8] { Array(tag.prefix(16)) }

    /// The revision of an earlier row.
    var revision: UInt64 { words.2 }

    /// Whether two earlier rows are of one item.
    func hasSameItem(as other: RowKey) -> Bool {
        words.0 == other.words.0 && words.1 == other.words.1
    }
}

/// The first half of a row's element, which suffices to identify the row.
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
