internal import SecretMemory
internal import SecureStorage
internal import TextCoding

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
