internal import Sealing
internal import SecretMemory
internal import VaultStorage

/// The chunks of one version of a file's content.
struct FileChunks: Sendable, Hashable {
    /// The size of a chunk's plaintext, in bytes; the last chunk may be shorter.
    static let size = 65_536
    /// The maximum size of a file: 4 GiB.
    static let largestFile: UInt64 = 4_294_967_296

    /// The id of the version, 16 bytes.
    let version: [UInt8]
    /// The number of chunks; their numbers begin with 0.
    let count: Int64

    /// The number of chunks of a file; an empty file has one.
    static func count(ofBytes size: UInt64) -> Int64 {
        max(1, Int64(clamping: size / UInt64(Self.size) + (size % UInt64(Self.size) == 0 ? 0 : 1)))
    }
}

/// The associated data of a chunk: version id ‖ u32 number. So the chunks of a file are the same in every vault.
enum ChunkContext {
    static func bytes(_ version: [UInt8]) -> [UInt8] {
        version + [0, 0, 0, 0]
    }

    static func setNumber(_ number: Int64, in context: inout [UInt8]) {
        for index in 0..<4 {
            context[context.count - 4 + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
    }
}

extension VaultSession {
    /// Opens the value of a file's verified row.
    func fileValue(of row: some SealedRow) throws -> FileValue {
        try withValue(of: row) { try FileValue($0) }
    }

    /// Opens and verifies all chunks of a file, without keeping their plaintext.
    func verifyChunks(of file: borrowing FileValue, _ reader: any RecordReader) throws {
        var opener = try ChunkOpener(file)
        while !opener.isAtEnd { try opener.openNext(reader) }
    }
}
