internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
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

/// The value of a file's item (`Docs/Format.md`, section 13).
struct FileValue: ~Copyable {
    private static let fixedSize = 4 + 16 + 32 + 24 + 8 + 4
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
                guard reader.integer(UInt32.self) == 1, let version = reader.raw(16),
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
        start.integer(UInt32(1))
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

/// The attribute `content` of a file's item. It repeats parts of the value, so that a list opens no value.
struct FileDescription: Sendable, Hashable {
    static let key = "content"
    static let taskKey = "task"
    static let unknownType = "application/octet-stream"

    /// The id of the version, in hexadecimal, as stored: a list of files does not need the bytes.
    private let versionText: String
    var size: UInt64
    var mediaType: String
    var pixels: PixelSize?

    /// The text of the attribute.
    var text: String {
        let dimensions = pixels.map { " \($0.width) \($0.height)" } ?? ""
        return "\(versionText) \(size) \(mediaType)" + dimensions
    }

    /// The id of the version, 16 bytes.
    var version: [UInt8] { Hexadecimal.bytes(versionText) ?? [] }

    init(version: [UInt8], size: UInt64, mediaType: String, pixels: PixelSize?) {
        versionText = Hexadecimal.text(version)
        self.size = size
        self.mediaType = mediaType
        self.pixels = pixels
    }

    /// Parses the attribute; nil if it is missing or malformed.
    init?(_ attributes: [ExtraAttribute]) {
        guard let attribute = attributes.first(where: { $0.key.hasSameBytes(as: Self.key) }) else {
            return nil
        }
        var rest = attribute.text.utf8[...]
        // The text up to the next blank; nil after the last one.
        func word() -> Substring.UTF8View? {
            guard !rest.isEmpty else { return nil }
            let end = rest.firstIndex(of: UInt8(ascii: " ")) ?? rest.endIndex
            defer { rest = rest[end...].dropFirst() }
            return rest[..<end]
        }
        guard let version = word().map({ String(Substring($0)) }),
            Hexadecimal.isText(version, ofBytes: 16),
            let size = word().flatMap({ UInt64(Substring($0)) }), size <= FileChunks.largestFile,
            let mediaType = word()
        else { return nil }
        versionText = version
        self.size = size
        self.mediaType = String(Substring(mediaType))
        if let width = word() {
            guard let width = UInt32(Substring(width)),
                let height = word().flatMap({ UInt32(Substring($0)) }), rest.isEmpty
            else { return nil }
            pixels = PixelSize(width: width, height: height)
        }
    }
}

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

    init(_ file: borrowing FileValue, vaultID: [UInt8]) throws {
        let stream = try SecretStream.Reader(header: file.streamHeader, key: file.key)
        let buffer = try SecretBytes(count: Int(min(file.size, UInt64(FileChunks.size))))
        chunks = file.chunks
        size = file.size
        context = ChunkContext.bytes(vaultID, file.chunks.version)
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

/// The associated data of a chunk: vault id ‖ version id ‖ u32 number.
enum ChunkContext {
    static func bytes(_ vaultID: [UInt8], _ version: [UInt8]) -> [UInt8] {
        vaultID + version + [0, 0, 0, 0]
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
        var opener = try ChunkOpener(file, vaultID: header.vaultID)
        while !opener.isAtEnd { try opener.openNext(reader) }
    }
}
