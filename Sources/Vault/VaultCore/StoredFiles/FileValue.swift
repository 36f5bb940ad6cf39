internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The value of a file's item (`Docs/Format.md`, section 13).
struct FileValue: ~Copyable {
    /// The number at the beginning of every value.
    private static let number: UInt32 = 2
    private static let keyOffset = 4 + 16
    private static let largestMediaType = 255
    private static let largestNote = 65_536

    let chunks: FileChunks
    /// The key of the stream.
    let key: SecretBytes
    let streamHeader: [UInt8]
    /// The size of the content in bytes.
    let size: UInt64
    let mediaType: String

    init(
        version: [UInt8], key: consuming SecretBytes, streamHeader: [UInt8], size: UInt64,
        mediaType: String
    ) {
        chunks = FileChunks(version: version, count: FileChunks.count(ofBytes: size))
        self.key = key
        self.streamHeader = streamHeader
        self.size = size
        self.mediaType = mediaType
    }

    /// Parses the value of an item.
    ///
    /// - Throws: `damaged(.fileContent)`; `SecretMemoryError.outOfMemory`.
    init(_ value: borrowing SecretBytes) throws {
        let parts = value.withBytes { bytes in
            ByteReader.reading(bytes) { reader -> Parts? in
                guard reader.integer(UInt32.self) == Self.number, let version = reader.raw(16),
                    reader.skip(32), let header = reader.raw(24),
                    let size = reader.integer(UInt64.self),
                    let count = reader.integer(UInt32.self),
                    let mediaType = reader.text(), mediaType.utf8.count <= Self.largestMediaType,
                    let note = reader.text(), note.utf8.count <= Self.largestNote, reader.isAtEnd,
                    size <= FileChunks.largestFile,
                    FileChunks.count(ofBytes: size) == Int64(count)
                else { return nil }
                return Parts(version: version, header: header, size: size, mediaType: mediaType)
            }
        }
        guard let parts else { throw VaultError.damaged(.fileContent) }
        self.init(
            version: parts.version, key: try value.copy(from: Self.keyOffset, count: 32),
            streamHeader: parts.header, size: parts.size, mediaType: parts.mediaType)
    }

    private struct Parts {
        let version: [UInt8]
        let header: [UInt8]
        let size: UInt64
        let mediaType: String
    }

    /// The encoding.
    borrowing func encoded() throws -> SecretBytes {
        var start = ByteWriter()
        start.integer(Self.number)
        start.raw(chunks.version)
        var end = ByteWriter()
        end.raw(streamHeader)
        end.integer(size)
        end.integer(UInt32(chunks.count))
        end.text(mediaType)
        end.text("")
        let (first, last) = (start.bytes, end.bytes)
        var value = try SecretBytes(count: first.count + key.count + last.count)
        key.withBytes { key in
            value.withMutableBytes { value in
                unsafe value.copy(first.span.bytes)
                value.copy(key, at: first.count)
                unsafe value.copy(last.span.bytes, at: first.count + key.byteCount)
            }
        }
        return value
    }
}
