internal import Sealing
internal import SecretMemory
internal import VaultStorage

/// The sum of the rows of one bucket (`Docs/Format.md`, section 6).
struct Bucket: Sendable, Hashable {
    static let plainSize = 8 + MultisetSum.size
    static let recordSize = 4 + Sealing.overhead + plainSize

    var count: UInt64 = 0
    var sum = MultisetSum()

    /// Checks a record's shape before using any key.
    static func checkShape(_ record: BucketRecord) throws -> UInt8 {
        guard let number = UInt8(exactly: record.number) else {
            throw VaultError.damaged(.bucketNumber)
        }
        guard record.bytes.count == recordSize else { throw VaultError.damaged(.bucketLength) }
        guard SealedRecord.hasKnownFormat(record.bytes) else {
            throw VaultError.damaged(.bucketFormat)
        }
        return number
    }

    static func open(
        _ record: [UInt8], number: UInt8, under key: borrowing StateKey, vaultID: [UInt8]
    ) throws -> Bucket {
        try SealedRecord.withOpened(
            record, under: key, SealContext(.bucket, vaultID: vaultID, part: number),
            failure: .bucketSeal
        ) { reader in
            guard let count = reader.integer(UInt64.self), count > 0,
                let sum = reader.raw(MultisetSum.size).flatMap({ MultisetSum(bytes: $0) }),
                reader.isAtEnd
            else { throw VaultError.damaged(.bucketContent) }
            return Bucket(count: count, sum: sum)
        }
    }

    func sealed(
        number: UInt8, under key: borrowing StateKey, vaultID: [UInt8], random: RandomSource
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(count)
        writer.raw(sum.bytes)
        return SealedRecord.seal(
            writer.bytes, under: key, SealContext(.bucket, vaultID: vaultID, part: number),
            random: random)
    }
}

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

    /// The element of a bucket record, over its stored bytes.
    static func bucket(
        number: UInt8, record: [UInt8], under key: borrowing RowHashKey
    ) -> [UInt8] {
        Blake2b.hash(size: MultisetSum.size, key: key) { input in
            input.feed("TVBK")
            input.feed(number)
            input.feed(record)
        }
    }
}
