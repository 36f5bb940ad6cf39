internal import Sealing
internal import VaultStorage

/// The elements of the two multisets.
enum IntegrityElement {
    /// The element of a row, over every stored column.
    static func row(_ record: ItemRecord, under key: borrowing RowHashKey) -> [UInt8] {
        Blake2b.hash(size: MultisetSum.size, key: key) { input in
            input.feed("TVRW")
            input.feed(record.format)
            input.feed(record.tag)
            input.feed(record.itemID)
            input.feed(record.accessClass)
            input.feed(record.revision)
            input.feed(UInt32(record.attributes.count))
            input.feed(record.attributes)
            input.feed(UInt32(record.value.count))
            input.feed(record.value)
        }
    }

    /// The element of an earlier row, over every stored column.
    static func row(_ record: EarlierRecord, under key: borrowing RowHashKey) -> [UInt8] {
        Blake2b.hash(size: MultisetSum.size, key: key) { input in
            input.feed("TVER")
            input.feed(record.format)
            input.feed(record.itemID)
            input.feed(record.accessClass)
            input.feed(record.revision)
            input.feed(UInt32(record.attributes.count))
            input.feed(record.attributes)
            input.feed(UInt32(record.value.count))
            input.feed(record.value)
            input.feed(record.moved)
        }
    }

    /// The element of a bucket record, over its stored bytes.
    static func bucket(
        number: Int, record: [UInt8], under key: borrowing RowHashKey
    ) -> [UInt8] {
        Blake2b.hash(size: MultisetSum.size, key: key) { input in
            input.feed("TVBK")
            input.feed(UInt16(number))
            input.feed(record)
        }
    }
}
