internal import Sealing
internal import SecretMemory
internal import VaultStorage

/// The sum of the rows of one bucket (`Docs/Format.md`, section 6).
struct Bucket: Sendable, Hashable {
    /// The number of buckets: 256 of items, and 256 of earlier rows.
    static let totalCount = 512
    static let plainSize = 8 + MultisetSum.size
    static let recordSize = 4 + Sealing.overhead + plainSize

    var count: UInt64 = 0
    var sum = MultisetSum()

    /// Checks the shape of a record, before any key is used.
    static func checkShape(_ record: BucketRecord) throws -> Int {
        guard (0..<Int64(totalCount)).contains(record.number) else {
            throw VaultError.damaged(.bucketNumber)
        }
        guard record.bytes.count == recordSize else { throw VaultError.damaged(.bucketLength) }
        guard SealedRecord.hasKnownFormat(record.bytes) else {
            throw VaultError.damaged(.bucketFormat)
        }
        return Int(record.number)
    }

    static func open(
        _ record: [UInt8], number: Int, under key: borrowing StateKey, vaultID: [UInt8]
    ) throws -> Bucket {
        try SealedRecord.withOpened(
            record, under: key, context(number, vaultID),
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
        number: Int, under key: borrowing StateKey, vaultID: [UInt8], random: RandomSource
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(count)
        writer.raw(sum.bytes)
        return SealedRecord.seal(
            writer.bytes, under: key, Self.context(number, vaultID), random: random)
    }

    private static func context(_ number: Int, _ vaultID: [UInt8]) -> SealContext {
        SealContext(
            .bucket, vaultID: vaultID, revision: UInt64(number / 256), part: UInt8(number % 256))
    }
}
