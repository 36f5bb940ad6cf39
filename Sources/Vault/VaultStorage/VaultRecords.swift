/// A stored row of the vault: sealed blobs and the columns that index them (`Docs/Format.md`, section 5).
///
/// Untrusted until the vault has verified it.
public struct ItemRecord: Sendable, Hashable {
    /// The lookup tag, 32 bytes.
    public var tag: [UInt8]
    /// The random id of the item, 16 bytes.
    public var itemID: [UInt8]
    /// The access class.
    public var accessClass: UInt8
    /// The number of writes of the item, starting at 1.
    public var revision: UInt64
    /// The version of the record format.
    public var format: UInt32
    /// The sealed attributes.
    public var attributes: [UInt8]
    /// The sealed value.
    public var value: [UInt8]

    /// Creates a record from its columns.
    public init(
        tag: [UInt8], itemID: [UInt8], accessClass: UInt8, revision: UInt64, format: UInt32,
        attributes: [UInt8], value: [UInt8]
    ) {
        self.tag = tag
        self.itemID = itemID
        self.accessClass = accessClass
        self.revision = revision
        self.format = format
        self.attributes = attributes
        self.value = value
    }
}

/// A stored row of a replaced value or a removed item: the item's blobs, and the sealed time and reason (`Docs/Format.md`, section 5).
///
/// Untrusted until the vault has verified it.
public struct EarlierRecord: Sendable, Hashable {
    /// The random id of the item, 16 bytes.
    public var itemID: [UInt8]
    /// The access class.
    public var accessClass: UInt8
    /// The revision of the item at that time.
    public var revision: UInt64
    /// The version of the record format.
    public var format: UInt32
    /// The sealed attributes.
    public var attributes: [UInt8]
    /// The sealed value.
    public var value: [UInt8]
    /// The sealed time and reason of the replacement or removal, 49 bytes.
    public var moved: [UInt8]

    /// Creates a record from its columns.
    public init(
        itemID: [UInt8], accessClass: UInt8, revision: UInt64, format: UInt32,
        attributes: [UInt8], value: [UInt8], moved: [UInt8]
    ) {
        self.itemID = itemID
        self.accessClass = accessClass
        self.revision = revision
        self.format = format
        self.attributes = attributes
        self.value = value
        self.moved = moved
    }
}

/// A table of rows.
public enum RecordTable: Sendable, CaseIterable {
    /// The rows of the items.
    case items
    /// The rows of replaced values and removed items.
    case earlier
}

/// A stored link: the counter of its commit, and the sealed link.
public struct LinkRecord: Sendable, Hashable {
    /// The maximum counter of a commit.
    public static let largestCounter = UInt64(Int64.max)
    /// The size of a record, in bytes.
    public static let size = 60

    /// The counter, at most ``largestCounter``.
    public var counter: UInt64
    /// The record's bytes. An oversized record is cut after ``size`` + 1 bytes.
    public var bytes: [UInt8]

    /// Creates a record from its columns.
    public init(counter: UInt64, bytes: [UInt8]) {
        self.counter = counter
        self.bytes = bytes
    }
}

/// A stored bucket record: its number and its bytes.
public struct BucketRecord: Sendable, Hashable {
    /// The bucket number as stored; 0 to 511 in a valid vault, any number in a damaged one.
    public var number: Int64
    /// The record's bytes.
    public var bytes: [UInt8]

    /// Creates a record from its columns.
    public init(number: Int64, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

/// A stored chunk of a file (`Docs/Format.md`, section 13).
public struct ChunkRecord: Sendable, Hashable {
    /// The size of a sealed chunk, in bytes; the last chunk of a file may be smaller.
    public static let largestSize = 65_553

    /// The version of the file's content, 16 bytes.
    public var version: [UInt8]
    /// The chunk's number, from 0.
    public var number: Int64
    /// The time when it was stored, in milliseconds since 1970-01-01 UTC.
    public var stored: Int64
    /// The sealed chunk.
    public var bytes: [UInt8]

    /// Creates a record from its columns.
    public init(version: [UInt8], number: Int64, stored: Int64, bytes: [UInt8]) {
        self.version = version
        self.number = number
        self.stored = stored
        self.bytes = bytes
    }
}
