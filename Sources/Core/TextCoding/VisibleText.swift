/// Makes text from a vault or a server safe to print. Characters that can control a terminal or
/// mislead a reader are escaped.
///
/// It escapes control and format characters, including bidirectional controls and zero-width
/// characters, as `\u{1B}`.
/// It also escapes default-ignorable characters, line and paragraph separators, and unassigned and
/// private-use characters.
/// Bytes that are not UTF-8 become `\x9F`. Within emoji, joiners and variation selectors are kept
/// (``EmojiSequence``).
/// Line feed and tab are kept if several lines are allowed; otherwise the result is one line.
/// Backslashes are unchanged: the result is for reading, not for parsing.
package enum VisibleText {
    /// Escapes the unsafe characters of a text.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - lines: Whether to keep line feed and tab, for text of several lines.
    /// - Returns: The safe text; the same text if it needs no escapes.
    package static func escape(_ text: String, keepingLines lines: Bool = false) -> String {
        // The common case: no escapes and no allocation.
        if text.isASCII(in: 0x20...0x7E) { return text }
        return unsafe escape(bytes: text.utf8Span.span.bytes, keepingLines: lines)
    }

    /// Escapes the unsafe characters and the invalid UTF-8 of a byte string.
    package static func escape(bytes: RawSpan, keepingLines lines: Bool = false) -> String {
        var result = ""
        var scalars = VisibleScalars(lines: lines)
        var offset = 0
        while offset < bytes.byteCount {
            let (piece, size) = piece(of: bytes, at: offset)
            offset += size
            switch piece {
            case .scalar(let scalar) where scalars.accepts(scalar, before: offset, of: bytes):
                result.unicodeScalars.append(scalar)
            case .scalar(let scalar): result += escaped(scalar)
            case .invalid(let byte):
                scalars.interrupt()
                result += escaped(byte)
            }
        }
        return result
    }

    /// Whether a scalar can be printed unchanged.
    package static func isSafe(_ scalar: Unicode.Scalar, keepingLines lines: Bool) -> Bool {
        if scalar.value < 0x7F {
            return scalar.value >= 0x20 || lines && (scalar == "\n" || scalar == "\t")
        }
        if scalar.properties.isDefaultIgnorableCodePoint { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            return false
        default:
            return true
        }
    }

    /// Decides, scalar by scalar, which characters of a text can be printed unchanged.
    package struct VisibleScalars {
        private let lines: Bool
        /// The previous scalar, if it was allowed.
        private var previous: Unicode.Scalar?

        /// Begins a text.
        package init(lines: Bool) {
            self.lines = lines
        }

        /// Whether the scalar that ends before `offset` is allowed.
        package mutating func accepts(
            _ scalar: Unicode.Scalar, before offset: Int, of bytes: RawSpan
        ) -> Bool {
            let isAccepted =
                isSafe(scalar, keepingLines: lines)
                || EmojiSequence.allows(
                    scalar, after: previous, before: VisibleText.scalar(of: bytes, at: offset))
            previous = isAccepted ? scalar : nil
            return isAccepted
        }

        /// Clears the previous scalar, after text that was checked elsewhere.
        package mutating func interrupt() {
            previous = nil
        }
    }

    private static func scalar(of bytes: RawSpan, at offset: Int) -> Unicode.Scalar? {
        guard offset < bytes.byteCount, case .scalar(let scalar) = piece(of: bytes, at: offset).0
        else { return nil }
        return scalar
    }

    package static func escaped(_ scalar: Unicode.Scalar) -> String {
        "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }

    package static func escaped(_ byte: UInt8) -> String {
        "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

extension String {
    /// Whether all bytes of the text are in a range of ASCII.
    package func isASCII(in range: ClosedRange<UInt8>) -> Bool {
        let bytes = utf8Span.span
        for index in bytes.indices where !range.contains(bytes[index]) { return false }
        return true
    }
}
