/// A name in a line of todo.txt.
///
/// Programs read its words `+project`, `@context` and `key:value` as fields. A backslash before the sign, or before the colon, makes them text.
enum TodoTxtText {
    /// Adds the backslashes.
    static func escape(_ name: String) -> String { changed(name) { $0.append("\\") } }

    /// Removes the backslashes of ``escape(_:)``.
    static func unescape(_ text: String) -> String {
        changed(text) { if $0.last == "\\" { $0.removeLast() } }
    }

    /// Changes what precedes each sign or colon.
    private static func changed(
        _ text: String, _ change: (inout String.UnicodeScalarView) -> Void
    ) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        /// Whether only backslashes precede in this word.
        var isAtStart = true
        /// Whether a letter precedes in this word, after its last colon. Times of day have none.
        var hasLetter = false
        for (index, scalar) in scalars.enumerated() {
            let rest = scalars[(index + 1)...].prefix(2)
            let isSyntax =
                (scalar == "+" || scalar == "@") && isAtStart
                || scalar == ":" && hasLetter && !rest.elementsEqual("//".unicodeScalars)
            if isSyntax, let next = rest.first, !next.properties.isWhitespace { change(&result) }
            result.append(scalar)
            if scalar.properties.isWhitespace {
                (isAtStart, hasLetter) = (true, false)
            } else if scalar != "\\" {
                isAtStart = false
                hasLetter = scalar != ":" && (hasLetter || scalar.isLetter)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether the character is an ASCII letter.
    fileprivate var isLetter: Bool { isASCII && properties.isAlphabetic }
}
