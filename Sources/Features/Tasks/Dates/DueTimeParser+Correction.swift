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
        Suggestion.corrected(text, to: words, where: isUnderstood)
    }
}

// Typing errors in the words of a repetition.
extension RepeatRule {
    private static let words: [String] =
        [
            "annually", "biweekly", "daily", "each", "every", "except", "first", "fortnightly",
            "last", "monthly", "other", "quarterly", "times", "until", "weekends", "weekly",
            "workday", "workdays", "yearly",
        ] + ["day", "month", "week", "weekday", "weekend", "year"].flatMap { [$0, $0 + "s"] }
        + DueDay.monthNames + Weekday.allCases.map(\.name)

    /// The text with each unknown word replaced by the closest known one; nil if that is not understood either.
    public static func corrected(_ text: String) -> String? {
        Suggestion.corrected(text, to: words) { (try? RepeatRule(typed: $0)) != nil }
    }
}
