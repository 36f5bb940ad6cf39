internal import CUTF8Proc

/// The width of text on a terminal, in columns.
/// The corresponding C function is `utf8proc_charwidth`. For text escaped by ``VisibleText``:
/// control characters count 0.
/// Terminals disagree about grapheme clusters: a family emoji takes 2 columns if the terminal joins
/// it, otherwise 8.
/// This type counts the largest width, so that a line never becomes too long; see
/// ``isCertain(_:)``.
package enum TextWidth {
    /// The number of columns of a text: 0 for a combining mark, 2 for a wide character.
    package static func columns(of text: String) -> Int {
        if text.isASCII(in: 0...0x7F) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Whether all terminals use the same number of columns.
    package static func isCertain(_ text: String) -> Bool {
        text.isASCII(in: 0...0x7F)
            || text.allSatisfy { character in
                let scalars = character.unicodeScalars
                return scalars.count == 1
                    || !scalars.contains(EmojiSequence.variationSelector)
                        && scalars.count(where: { columns(of: $0) > 0 }) == 1
            }
    }

    private static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        let sum = scalars.reduce(0) { $0 + columns(of: $1) }
        // An emoji is wide, even if its text presentation is narrow.
        return scalars.contains(EmojiSequence.variationSelector) ? max(sum, 2) : sum
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        // The later letters of a Korean syllable are drawn in the cell of the first.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: 0
        default: Int(utf8proc_charwidth(Int32(bitPattern: scalar.value)))
        }
    }

    /// The text, truncated to `limit` columns with `…` at the end if it is wider. Combining marks stay with their letter.
    package static func truncate(_ text: String, to limit: Int) -> String {
        guard limit > 0 else { return "" }
        if columns(of: text) <= limit { return text }
        var result = ""
        var used = 0
        for character in text {
            let width = columns(of: String(character))
            // The ellipsis takes one column.
            guard used + width <= limit - 1 else { break }
            result.append(character)
            used += width
        }
        return result + "…"
    }

    /// The text padded with spaces to `width` columns; wider text is unchanged.
    package static func pad(_ text: String, to width: Int, _ alignment: TextAlignment = .leading)
        -> String
    {
        let blanks = String(repeating: " ", count: max(0, width - columns(of: text)))
        switch alignment {
        case .leading: return text + blanks
        case .trailing: return blanks + text
        }
    }

    /// Breaks a line into lines of at most `limit` columns, after a space, or within a wider word. Keeps all characters.
    package static func fold(_ text: String, to limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        for character in text {
            let width = columns(of: character)
            while used + width > limit, !line.isEmpty {
                let end = line.lastIndex(of: " ").map { line.index(after: $0) } ?? line.endIndex
                lines.append(String(line[..<end]))
                line = String(line[end...])
                used = columns(of: line)
            }
            line.append(character)
            used += width
        }
        return lines + [line]
    }

    /// Breaks a paragraph at spaces into lines of at most `limit` columns; a wider word gets its own line.
    package static func wrap(_ text: String, to limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && columns(of: line) + 1 + columns(of: String(word)) > limit {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}

/// The alignment of a column.
package enum TextAlignment: Sendable {
    /// Text.
    case leading
    /// Numbers.
    case trailing
}
