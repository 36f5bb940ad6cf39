package import SecretMemory
package import SecureStorage
internal import TextCoding

/// Names the content of a file, without its key: what its item says to everyone who can list files.
package struct FileContent: Sendable, Hashable {
    /// The key of the attribute from which it is read.
    package static let attribute = FileDescription.key

    let chunks: FileChunks
    /// The size of the plaintext, in bytes.
    package let size: UInt64

    /// The id of the version, 16 random bytes. No other content, of any vault, has it.
    package var version: [UInt8] { chunks.version }
    /// The number of sealed parts; see ``SealedFileParts``.
    package var partCount: Int {
        let size = Int64(SealedFileParts.chunksOfPart)
        return Int((chunks.count + size - 1) / size)
    }

    private init(_ description: FileDescription) {
        chunks = FileChunks(
            version: description.version, count: FileChunks.count(ofBytes: description.size))
        size = description.size
    }

    /// The content of an item, or of an earlier version; nil if it is no file, or does not say.
    package init?(_ item: SecretItem) {
        guard item.name.isFile, let description = FileDescription(item.attributes.extra) else {
            return nil
        }
        self.init(description)
    }

    /// The content that the text of the attribute names; nil if it is malformed.
    package init?(attribute text: String) {
        guard
            let description = FileDescription([ExtraAttribute(key: Self.attribute, text: text)])
        else { return nil }
        self.init(description)
    }
}

extension FileContent {
    /// The attribute of a file that has a value; nil if the value is malformed. It lacks the size of a picture.
    package static func attribute(ofValue value: borrowing SecretBytes) -> ExtraAttribute? {
        guard let file = try? FileValue(value) else { return nil }
        let description = FileDescription(
            version: file.chunks.version, size: file.size, mediaType: file.mediaType, pixels: nil)
        return ExtraAttribute(key: attribute, text: description.text)
    }
}
