internal import Sealing
internal import SecretMemory
package import VaultStorage

/// The contents of files as a vault stores them, sealed: in parts, by which they travel to other vaults (`Docs/Sync.md`, section 8).
///
/// It needs no key, and verifies nothing: a reader of the file does. A content is here if its first chunk is; ``put(_:number:of:at:)`` from the
/// last part to the first one adds it at once. Thread-safe.
package struct SealedFileParts: Sendable {
    /// The number of chunks of a part: 1 MiB of plaintext. The last part of a content may have fewer.
    package static let chunksOfPart = 16
    /// The size of a sealed chunk, in bytes. In a part, the last chunk of a content has this size, too.
    package static let chunkSize = ChunkRecord.largestSize
    /// The size of the largest part, in bytes.
    package static let largestPart = chunksOfPart * chunkSize
    /// The disk space left free, in bytes, as by a writer of files.
    private static let reserve: UInt64 = 16_777_216

    private let storage: any RecordStorage
    private let random: RandomSource

    /// - Parameters:
    ///   - storage: The records of the vault.
    ///   - random: Random numbers.
    package init(_ storage: any RecordStorage, random: RandomSource = .system) {
        self.storage = storage
        self.random = random
    }

    /// The size of a part, in bytes.
    package static func size(ofPart number: Int, of content: FileContent) -> Int {
        chunkNumbers(ofPart: number, of: content).count * chunkSize
    }

    private static func chunkNumbers(ofPart number: Int, of content: FileContent) -> Range<Int64> {
        let first = Int64(number * chunksOfPart)
        return first..<min(first + Int64(chunksOfPart), content.chunks.count)
    }

    /// The size of a sealed chunk in the vault.
    private static func size(ofChunk number: Int64, of content: FileContent) -> Int {
        let rest = content.size - UInt64(number) * UInt64(FileChunks.size)
        return Int(min(rest, UInt64(FileChunks.size))) + SecretStream.overhead
    }

    /// Whether the vault has a content.
    ///
    /// - Throws: `storage`; so does every function.
    package func has(_ content: FileContent) throws(VaultError) -> Bool {
        try VaultError.translating {
            try storage.read { try $0.chunkCount(of: (content.version, 1)) } == 1
        }
    }

    /// Reads a part of a content. Random bytes follow the last chunk of a content up to the size of the others, so that a part tells its size
    /// to 64 KiB only.
    ///
    /// - Parameters:
    ///   - number: Its number.
    ///   - content: The content.
    ///   - part: Becomes the part. Its memory is used again.
    /// - Returns: Whether all chunks of it are here and have their size.
    /// - Throws: `storage`.
    package func read(
        _ number: Int, of content: FileContent, into part: inout [UInt8]
    ) throws(VaultError) -> Bool {
        try VaultError.translating {
            let isWhole = try storage.read { reader in
                part.removeAll(keepingCapacity: true)
                part.reserveCapacity(Self.largestPart)
                for chunk in Self.chunkNumbers(ofPart: number, of: content) {
                    guard let stored = try reader.chunk(version: content.version, number: chunk),
                        stored.bytes.count == Self.size(ofChunk: chunk, of: content)
                    else { return false }
                    part += stored.bytes
                }
                return true
            }
            let missing = Self.size(ofPart: number, of: content) - part.count
            if isWhole, missing > 0 { part += random.bytes(count: missing) }
            return isWhole
        }
    }

    /// Whether the vault has a part, all of which ``put(_:number:of:at:)`` stores at once.
    package func has(_ number: Int, of content: FileContent) throws(VaultError) -> Bool {
        try VaultError.translating {
            let first = Self.chunkNumbers(ofPart: number, of: content).lowerBound
            return try storage.read { try $0.chunk(version: content.version, number: first) } != nil
        }
    }

    /// Stores a part of a content, in one transaction.
    ///
    /// - Parameters:
    ///   - bytes: The part, as ``read(_:of:into:)`` gives it.
    ///   - number: Its number.
    ///   - content: The content.
    ///   - time: Milliseconds since 1970-01-01 UTC.
    /// - Throws: `damaged(.chunkSeal)` for another size; `storage(.full)`.
    package func put(
        _ bytes: [UInt8], number: Int, of content: FileContent, at time: Int64
    ) throws(VaultError) {
        guard bytes.count == Self.size(ofPart: number, of: content) else {
            throw .damaged(.chunkSeal)
        }
        try VaultError.translating {
            if let use = try storage.diskUse(), use.free < Self.reserve {
                throw VaultError.storage(.full)
            }
            try storage.write { writer in
                var start = 0
                for chunk in Self.chunkNumbers(ofPart: number, of: content) {
                    let end = start + Self.size(ofChunk: chunk, of: content)
                    try writer.putChunk(
                        ChunkRecord(
                            version: content.version, number: chunk, stored: time,
                            bytes: Array(bytes[start..<end])))
                    start = end
                }
            }
        }
    }

    /// Removes a content: one that turned out to be damaged.
    package func remove(_ content: FileContent) throws(VaultError) {
        try VaultError.translating {
            while true {
                let count = try storage.write {
                    try $0.removeChunks(version: content.version, limit: 512)
                }
                if count < 512 { break }
            }
        }
    }
}
