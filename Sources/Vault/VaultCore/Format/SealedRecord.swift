internal import Sealing
internal import SecretMemory

/// The common form of state and bucket records: u32 record format ‖ sealed blob of a fixed size.
enum SealedRecord {
    private static let prefixSize = 4

    static func hasKnownFormat(_ record: [UInt8]) -> Bool {
        ByteReader.reading(record) { $0.integer(UInt32.self) == SealContext.recordFormat }
    }

    static func seal(
        _ plain: [UInt8], under key: borrowing StateKey, _ context: SealContext,
        random: RandomSource
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(SealContext.recordFormat)
        writer.raw(Sealing.seal(unsafe plain.span.bytes, under: key, context, random: random))
        return writer.bytes
    }

    static func withOpened<Result>(
        _ record: [UInt8], under key: borrowing StateKey, _ context: SealContext,
        failure: FormatFailure,
        _ body: (inout ByteReader) throws -> Result
    ) throws -> Result {
        let blob = Array(record.dropFirst(prefixSize))
        guard blob.count >= Sealing.overhead else { throw VaultError.damaged(failure) }
        return try SecretBufferPool.shared.withBuffer(
            count: blob.count - Sealing.overhead
        ) { buffer in
            do {
                try Sealing.open(blob, under: key, context, into: &buffer)
            } catch SealingError.doesNotOpen {
                throw VaultError.damaged(failure)
            }
            return try buffer.withBytes { try ByteReader.reading($0, body) }
        }
    }
}
