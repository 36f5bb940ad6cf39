/// Makes text from a vault or a server safe to print: whatever could steer a terminal or deceive a reader is shown as an escape.
///
/// Escaped are control characters, format characters (bidirectional controls and zero-width ones among them), everything that a
/// renderer may show as nothing, line and paragraph separators, unassigned and private characters: `\u{1B}`. Bytes that are not
/// UTF-8 become `\x9F`. Within emoji, the joiner and the selector of pictures stay (``EmojiSequence``). Line feed and tab stay where several
/// lines are allowed; otherwise one text is one line. A backslash stays as it is: the result is for reading, not for parsing.
package enum VisibleText {
    /// The text with everything dangerous escaped.
    ///
    /// - Parameters:
    ///   - text: Any text.
    ///   - lines: Whether line feed and tab stay, for text of several lines.
    /// - Returns: The same text where there is nothing to escape.
    package static func escape(_ text: String, keepingLines lines: Bool = false) -> String {
        // Nearly all text: nothing to do, and nothing to allocate.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        return unsafe escape(bytes: text.utf8Span.span.bytes, keepingLines: lines)
    }

    /// Bytes that should be UTF-8, with everything dangerous and everything that is not UTF-8 escaped.
    package static func escape(bytes: RawSpan, keepingLines lines: Bool = false) -> String {
        var result = ""
        var scalars = PassingScalars(lines: lines)
        var offset = 0
        while offset < bytes.byteCount {
            let (piece, size) = piece(of: bytes, at: offset)
            offset += size
            switch piece {
            case .scalar(let scalar) where scalars.passes(scalar, before: offset, of: bytes):
                result.unicodeScalars.append(scalar)
            case .scalar(let scalar): result += escaped(scalar)
            case .invalid(let byte):
                scalars.interrupt()
                result += escaped(byte)
            }
        }
        return result
    }

    /// Whether a scalar can be printed as it is.
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

    /// Which scalars of a text can be printed as they are, one after the other.
    package struct PassingScalars {
        private let lines: Bool
        /// The last one, if it passed.
        private var previous: Unicode.Scalar?

        /// Begins with a text.
        package init(lines: Bool) {
            self.lines = lines
        }

        /// Whether the scalar that ends before `offset` passes.
        package mutating func passes(
            _ scalar: Unicode.Scalar, before offset: Int, of bytes: RawSpan
        ) -> Bool {
            let passes =
                isSafe(scalar, keepingLines: lines)
                || EmojiSequence.allows(
                    scalar, after: previous, before: VisibleText.scalar(of: bytes, at: offset))
            previous = passes ? scalar : nil
            return passes
        }

        /// Something else was there.
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
