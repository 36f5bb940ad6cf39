/// Text quoted for a shell.
package enum ShellText {
    /// The text, in single quotation marks if a shell would split or expand it.
    package static func quote(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-_./:@%+,=".unicodeScalars.contains(scalar)
        }
        if isPlain, !text.isEmpty { return text }
        return "'"
            + text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            .map { String($0) }.joined(separator: "'\\''") + "'"
    }
}
