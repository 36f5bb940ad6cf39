internal import Foundation
internal import Testing

/// The files of `Tests/Vectors`.
package enum TestVectors {
    /// Reads the files of a subfolder, in the order of their names.
    ///
    /// - Parameters:
    ///   - folder: Its name; empty for the vectors of the format.
    ///   - make: Creates a vector from a name without its extension, and a text.
    /// - Returns: The vectors; none, and a recorded issue, if one cannot be read.
    package static func all<Vector>(
        in folder: String = "", _ make: (_ name: String, _ text: String) throws -> Vector
    ) -> [Vector] {
        let place = Checkout.folder.appending(path: "Tests/Vectors").appending(path: folder)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
                .filter { $0.hasSuffix(".vector") }
                .map { name in
                    let text = try String(contentsOf: place.appending(path: name), encoding: .utf8)
                    return try make(String(name.dropLast(".vector".count)), text)
                }
        } catch {
            Issue.record("the vectors cannot be read: \(error)")
            return []
        }
    }

    /// The bytes of hexadecimal digits; `-` is the empty text.
    package static func bytes(_ digits: String) throws -> [UInt8] {
        digits == "-" ? [] : try #require(HexBytes.bytes(of: digits))
    }
}
