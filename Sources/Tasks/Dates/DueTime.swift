/// Reads when something is due, as people write it.
///
/// | written | meant |
/// | --- | --- |
/// | `today`, `tomorrow`, `yesterday`, `fri`, `friday` | that day; a day of the week is the next one that is not over |
/// | `2026-12-01`, `1 dec`, `dec 1 2027` | that day; without a year, the next one that is not over |
/// | `in 3 days`, `2w`, `in 2 months`, `in a year` | that day |
/// | a day and `9:00`, `21:30:15`, `9am`, `9:30 pm`, `noon` | that day at that time |
/// | `9:00`, `9am`, `noon` | the next time when the clocks show it |
/// | `in 2h`, `90m`, `in 1h 30m`, `now` | so much later than now, whatever the clocks do |
/// | `2026-12-01T09:00+02:00`, `2026-12-01 09:00Z` | that moment |
///
/// A day without a time is 23:59 of that day. Upper and lower case are the same, blanks may be more; `on` and `at` may stand before a day and a time.
/// Refused with examples is what may mean two things, and what does not exist, as an hour over which the clocks are set forward.
public enum DueTime {
    /// The longest text that is looked at, in bytes.
    private static let maximumSize = 100
    /// The years that texts can tell.
    static let years = 0...9_999

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: What somebody typed.
    ///   - now: The present time.
    ///   - calendar: The calendar of the person.
    /// - Returns: The point in time, in whole seconds unless the text has a fraction.
    /// - Throws: Why the text is no such time, with examples of what is.
    public static func read(
        _ text: String, now: PointInTime, in calendar: some LocalCalendar
    ) throws(DueTimeError) -> PointInTime {
        guard text.utf8.count <= maximumSize else { throw .notUnderstood }
        var words = WordList(text)
        guard !words.isEmpty else { throw .empty }
        let time: PointInTime
        if words.take("now") {
            time = PointInTime(seconds: now.seconds)
        } else {
            var reader = DueTimeReader()
            try reader.read(&words, now: now, in: calendar)
            time = try reader.resolve(now: now, in: calendar)
        }
        guard words.isEmpty else { throw .notUnderstood }
        guard years.contains(calendar.local(at: time).date.year) else { throw .outOfRange }
        return time
    }
}
