/// Invisible characters within emoji, such as `❤️` and `👩‍🔬`, which users type without seeing them.
package enum EmojiSequence {
    /// Whether an invisible character is allowed: only within the emoji sequences that Unicode lists (UTS #51).
    ///
    /// - Parameters:
    ///   - scalar: The character; only a joiner or a selector can be allowed.
    ///   - previous: The allowed scalar before it.
    ///   - next: The scalar after it.
    /// - Returns: Whether the character is allowed.
    package static func allows(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard let previous else { return false }
        switch scalar {
        case variationSelector:
            // A variation selector may follow an emoji that is text by default. After a digit it must be part of a keycap.
            guard isEmoji(previous), !previous.properties.isEmojiPresentation else { return false }
            return !previous.isASCII || next == keycap
        case joiner:
            guard let next, joins(next), !next.properties.isEmojiModifier else { return false }
            return joins(previous) || previous == variationSelector
        default: return false
        }
    }

    /// U+FE0F, which selects emoji presentation.
    package static let variationSelector: Unicode.Scalar = "\u{FE0F}"
    /// The zero-width joiner, U+200D, which combines two emoji into one.
    package static let joiner: Unicode.Scalar = "\u{200D}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"

    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isEmoji }

    /// Whether a zero-width joiner may put this scalar and another together to one emoji. Digits and the letters of flags (regional
    /// indicators) cannot.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && isEmoji(scalar) && !(0x1_F1E6...0x1_F1FF).contains(scalar.value)
    }
}
