internal import Sealing
internal import TextCoding

/// The name of a blob at a remote: the hash of its bytes. So no two blobs have one name, and a copy that is not whole is no blob.
package struct BlobName: Hashable, Sendable {
    /// The size of a name, in bytes.
    package static let size = 32

    /// `hash(32, no key, blob)`.
    package let bytes: [UInt8]

    /// The name of a blob.
    package init(of blob: [UInt8]) {
        bytes = Blake2b.hash(size: Self.size) { $0.feed(blob) }
    }

    /// Creates a name from its bytes; nil for another size.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Creates a name from 64 hexadecimal digits; nil for any other text.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// 64 hexadecimal digits.
    package var text: String { Hexadecimal.text(bytes) }
}
