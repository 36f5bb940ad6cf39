/// A word of a bash command line as typed, with its quotation marks. Parsing expands nothing in it.
package struct BashWord {
    /// The kind of quotation marks around a character.
    package enum Quotes {
        /// None: backslashes quote.
        case none
        /// `'…'`.
        case single
        /// `"…"`.
        case double
        /// `$'…'`.
        case ansi
    }

    /// The text without quotation marks.
    package private(set) var text = ""
    /// The quotation marks still open at the end.
    package private(set) var open = Quotes.none
    /// The text before the open quotation mark; the whole text if none is open.
    package private(set) var textBeforeQuotes = ""

    /// Parses a word, which may be incomplete.
    package init(_ typed: String) {
        var scalars = typed.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch (open, scalar) {
            case (.none, "'"): begin(.single)
            case (.none, "\""): begin(.double)
            case (.none, "$") where scalars.first == "'":
                scalars.removeFirst()
                begin(.ansi)
            case (.single, "'"), (.ansi, "'"), (.double, "\""): open = .none
            case (.none, "\\"), (.ansi, "\\"): append(scalars.popFirst())
            case (.double, "\\")
            where scalars.first.map { "\"\\$`".unicodeScalars.contains($0) } ?? true:
                append(scalars.popFirst())
            default: append(scalar)
            }
        }
        if open == .none { textBeforeQuotes = text }
    }

    private mutating func begin(_ quotes: Quotes) {
        open = quotes
        textBeforeQuotes = text
    }

    private mutating func append(_ scalar: Unicode.Scalar?) {
        if let scalar { text.unicodeScalars.append(scalar) }
    }

    /// Returns text for bash to insert within these quotation marks. bash closes them, unless the text ends with such a quotation mark
    /// itself.
    package static func inserted(_ text: String, within quotes: Quotes) -> String {
        let result = quote(text, within: quotes)
        let mark: Unicode.Scalar = quotes == .double ? "\"" : "'"
        guard quotes != .none, result.unicodeScalars.last == mark else { return result }
        return result + String(mark)
    }

    /// Returns text as typed within these quotation marks, without the marks themselves. It has no control characters.
    private static func quote(_ text: String, within quotes: Quotes) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch quotes {
            case .none: if !isPlain(scalar) { result += "\\" }
            case .single where scalar == "'":
                result += "'\\''"
                continue
            // A backslash before it would stay in the word.
            case .double where scalar == "!":
                result += "\"'!'\""
                continue
            case .double: if "\"\\$`".unicodeScalars.contains(scalar) { result += "\\" }
            case .ansi: if "'\\".unicodeScalars.contains(scalar) { result += "\\" }
            case .single: break
            }
            result.unicodeScalars.append(scalar)
        }
        return result
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic && !scalar.properties.isWhitespace
            || ("0"..."9").contains(scalar) || "-_./:@%+,=".unicodeScalars.contains(scalar)
            || scalar.value > 0x7F && !scalar.properties.isWhitespace
    }
}
