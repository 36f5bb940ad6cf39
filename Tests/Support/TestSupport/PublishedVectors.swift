internal import CSodium
internal import Foundation

/// The published test vectors beside the project, in `../shared/vectors` from its root.
///
/// Mark their tests `.enabled(if: PublishedVectors.areThere)`: without the folder they are reported as skipped.
package enum PublishedVectors {
    private static let folder = Checkout.folder.deletingLastPathComponent()
        .appending(path: "shared/vectors")

    /// Whether the folder exists.
    package static var areThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// Reads a JSON file of the folder.
    package static func read<Content: Decodable>(_ name: String) throws -> Content {
        try JSONDecoder().decode(
            Content.self, from: Data(contentsOf: folder.appending(path: name)))
    }
}

/// Bytes in JSON as hexadecimal digits.
package struct HexBytes: Decodable, Sendable, Hashable {
    /// The bytes.
    package let bytes: [UInt8]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Self.bytes(of: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not hexadecimal")
        }
        self.bytes = bytes
    }

    /// The bytes of hexadecimal digits; ignores spaces and line ends between them.
    package static func bytes(of text: String) -> [UInt8]? {
        // The vectors have megabytes of digits.
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 2)
        var size = 0
        let code = unsafe sodium_hex2bin(
            &bytes, bytes.count, text, text.utf8.count, " \n", &size, nil)
        guard code == 0 else { return nil }
        bytes.removeLast(bytes.count - size)
        return bytes
    }
}
