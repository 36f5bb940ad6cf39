internal import CUTF8Proc

/// The width of text on a terminal, in columns.
///
/// The corresponding C function is `utf8proc_charwidth`. For text that went through ``VisibleText``: control characters count nothing.
/// Terminals disagree about signs of several characters: a family takes 2 columns where the terminal joins it, 8 where
/// it does not. What counts here is the most that a terminal takes, so that a line never becomes too long; ``isCertain(_:)`` tells.
package enum TextWidth {
    /// The number of columns of a text: 0 for a combining mark, 2 for a wide character.
    package static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Whether all terminals take the same number of columns.
    package static func isCertain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 }
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
        // A picture is wide, also where its sign as text is not.
        return scalars.contains(EmojiSequence.variationSelector) ? max(sum, 2) : sum
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        // The later letters of a Korean syllable are drawn on the first.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: 0
        default: Int(utf8proc_charwidth(Int32(bitPattern: scalar.value)))
        }
    }

    /// The text, cut to `limit` columns with `…` at the end where it is wider. Marks stay with their letter.
    package static func truncate(_ text: String, to limit: Int) -> String {
        guard limit > 0 else { return "" }
        if columns(of: text) <= limit { return text }
        var result = ""
        var used = 0
        for character in text {
            let width = columns(of: String(character))
            // The ellipsis takes a column.
            guard used + width <= limit - 1 else { break }
            result.append(character)
            used += width
        }
        return result + "…"
    }

    /// The text with blanks up to `width` columns; wider text stays as it is.
    package static func pad(_ text: String, to width: Int, _ alignment: TextAlignment = .leading)
        -> String
    {
        let blanks = String(repeating: " ", count: max(0, width - columns(of: text)))
        switch alignment {
        case .leading: return text + blanks
        case .trailing: return blanks + text
        }
    }

    /// Breaks a line into lines of at most `limit` columns, after a blank, or within a word that is wider. Nothing is left out.
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

    /// Breaks a paragraph at blanks into lines of at most `limit` columns; a wider word gets a line of its own.
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

/// The side of a column to which its text keeps.
package enum TextAlignment: Sendable {
    /// Text.
    case leading
    /// Numbers.
    case trailing
}
