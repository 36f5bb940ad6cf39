/// Invisible characters that belong to emoji: people type `❤️` and `👩‍🔬` without knowing of them.
package enum EmojiSequence {
    /// Whether an invisible character may pass, as in the sequences that Unicode lists (UTS #51): between what it joins, or after what it
    /// changes, and nowhere else.
    ///
    /// - Parameters:
    ///   - scalar: The character; only a joiner or a selector may pass.
    ///   - previous: The scalar before it, which passed.
    ///   - next: The scalar after it.
    /// - Returns: Whether it may pass.
    package static func allows(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard let previous else { return false }
        switch scalar {
        case variationSelector:
            // A sign that is text by itself; a digit only in a keycap.
            guard isEmoji(previous), !previous.properties.isEmojiPresentation else { return false }
            return !previous.isASCII || next == keycap
        case joiner:
            guard let next, joins(next), !next.properties.isEmojiModifier else { return false }
            return joins(previous) || previous == variationSelector
        default: return false
        }
    }

    /// U+FE0F, which asks for a picture.
    package static let variationSelector: Unicode.Scalar = "\u{FE0F}"
    /// U+200D, which makes one picture of two.
    package static let joiner: Unicode.Scalar = "\u{200D}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isEmoji }

    /// Neither digits nor the letters that make flags are joined.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && isEmoji(scalar) && !(0x1_F1E6...0x1_F1FF).contains(scalar.value)
    }
}
