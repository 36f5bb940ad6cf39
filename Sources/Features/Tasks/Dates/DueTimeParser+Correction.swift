internal import TextCoding

// Typing errors in the words of a time.
extension DueTimeParser {
    /// Words of times that a mistyped one may be.
    private static let words =
        firstWords + DueDay.monthNames
        + [
            "yesterday", "week", "day", "days", "weeks", "month", "months", "hour", "hours",
            "minutes",
        ]

    /// The text with each unknown word replaced by the closest known one.
    ///
    /// - Parameters:
    ///   - text: A text that is not understood.
    ///   - isUnderstood: Whether a corrected text is.
    /// - Returns: The corrected text; nil if none is understood.
    public static func corrected(_ text: String, where isUnderstood: (String) -> Bool) -> String? {
        var isChanged = false
        let corrected = text.split(separator: " ").map { word -> String in
            let lower = word.lowercased()
            // Short words are too close to each other, and a number is no word.
            guard lower.count > 3, lower.allSatisfy(\.isLetter), !words.contains(lower),
                let close = Suggestion.closest(to: lower, among: words)
            else { return String(word) }
            isChanged = true
            return close
        }.joined(separator: " ")
        return isChanged && isUnderstood(corrected) ? corrected : nil
    }
}
