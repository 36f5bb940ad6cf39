/// One stored row of the vault: sealed blobs and the columns that index them (`Docs/Format.md`, section 5).
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

/// One stored bucket record: its number, and its bytes.
public struct BucketRecord: Sendable, Hashable {
    /// The bucket number as stored; 0 to 255 in a valid vault, any number in a damaged one.
    public var number: Int64
    /// The record's bytes.
    public var bytes: [UInt8]

    /// Creates a record from its columns.
    public init(number: Int64, bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}
