/// A line of a settings file.
package enum SettingLine: Sendable, Hashable {
    /// An empty line, or a comment, which begins with `#`.
    case empty
    /// `name = value`, without surrounding white space.
    case setting(name: String, value: String)
    /// Any other line.
    case malformed

    /// Parses a line without its line end.
    package init(_ line: String) {
        let text = Self.trimmed(line[...])
        if text.isEmpty || text.utf8.first == UInt8(ascii: "#") {
            self = .empty
            return
        }
        // Split by bytes: as a `Character`, an equals sign with an accent is not `=`.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self = .malformed
            return
        }
        self = .setting(
            name: Self.trimmed(Substring(parts[0])), value: Self.trimmed(Substring(parts[1])))
    }

    /// The lines of a text, without their line ends.
    package static func lines(of text: String) -> [String] {
        // Swift treats "\r\n" as one character.
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = text.utf8
        let blanks = " \t\r".utf8
        while let first = bytes.first, blanks.contains(first) { bytes.removeFirst() }
        while let last = bytes.last, blanks.contains(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
