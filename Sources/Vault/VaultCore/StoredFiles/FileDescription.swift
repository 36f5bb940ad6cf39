internal import SecureStorage
internal import TextCoding

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
