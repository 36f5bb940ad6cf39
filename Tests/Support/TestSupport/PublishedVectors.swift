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
        let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x0A }
            .map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map {
            UInt8(values[$0] << 4 | values[$0 + 1])
        }
    }
}
