internal import TextCoding

/// The name of a part of a file's content at a remote (`Docs/Sync.md`, section 8).
package struct FilePartName: Hashable, Sendable {
    /// The size of the largest part: 16 sealed chunks of 65,553 bytes.
    package static let largestPart = 1_048_848
    /// The size of a version's id, in bytes.
    private static let versionSize = 16
    /// A file has at most 4 GiB.
    private static let mostParts = 4_096

    /// The id of the content's version.
    package let version: [UInt8]
    /// The number of the part, from 0.
    package let number: Int

    package init(_ version: [UInt8], _ number: Int) {
        self.version = version
        self.number = number
    }

    /// Parses a name; nil if it is no name of a part.
    package init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let version = Hexadecimal.bytes(String(parts[0])),
            version.count == Self.versionSize, let number = Int(parts[1]),
            (0..<Self.mostParts).contains(number), String(number) == parts[1]
        else { return nil }
        self.init(version, number)
    }

    /// 32 hexadecimal digits, a hyphen and the number.
    package var text: String { "\(Hexadecimal.text(version))-\(number)" }
}
