internal import Sealing
internal import SecretMemory
internal import VaultStorage

/// Opens the chunks of a version in their order.
struct ChunkOpener: ~Copyable {
    private let chunks: FileChunks
    private let size: UInt64
    private var stream: SecretStream.Reader
    /// The associated data, whose last four bytes are the number.
    private var context: [UInt8]
    /// The number of chunks that were opened.
    private(set) var next: Int64 = 0
    /// The plaintext of the last opened chunk.
    private(set) var buffer: SecretBytes

    init(_ file: borrowing FileValue) throws {
        let stream = try SecretStream.Reader(header: file.streamHeader, key: file.key)
        let buffer = try SecretBytes(count: Int(min(file.size, UInt64(FileChunks.size))))
        chunks = file.chunks
        size = file.size
        context = ChunkContext.bytes(file.chunks.version)
        self.stream = stream
        self.buffer = buffer
    }

    /// Whether the last chunk was opened, which ends the stream.
    var isAtEnd: Bool { next == chunks.count }

    /// Requires that storage has all chunks.
    borrowing func checkCount(_ reader: any RecordReader) throws {
        let count = try reader.chunkCount(of: (version: chunks.version, count: chunks.count))
        guard count == Int(chunks.count) else { throw VaultError.damaged(.chunkMissing) }
    }

    /// Opens the next chunk into ``buffer``.
    mutating func openNext(_ reader: any RecordReader) throws {
        guard let chunk = try reader.chunk(version: chunks.version, number: next) else {
            throw VaultError.damaged(.chunkMissing)
        }
        let rest = size - UInt64(next) * UInt64(FileChunks.size)
        let expected = Int(min(rest, UInt64(FileChunks.size)))
        guard chunk.bytes.count == expected + SecretStream.overhead else {
            throw VaultError.damaged(.chunkSeal)
        }
        if buffer.count != expected { buffer.keep(count: expected) }
        ChunkContext.setNumber(next, in: &context)
        do {
            let isLast = try stream.open(chunk.bytes, context, into: &buffer)
            guard isLast == (next == chunks.count - 1) else { throw SealingError.doesNotOpen }
        } catch SealingError.doesNotOpen {
            throw VaultError.damaged(.chunkSeal)
        }
        next += 1
    }
}
