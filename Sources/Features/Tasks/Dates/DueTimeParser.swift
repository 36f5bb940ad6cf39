/// Parses a due time.
///
/// | text | meaning |
/// | --- | --- |
/// | `today`, `tomorrow`, `yesterday`, `fri`, `friday` | that day; a day of the week is the next one after today |
/// | `day after tomorrow` | in two days |
/// | `next friday`, `next week`, `next month` | that day of the next week, which begins on Monday; its Monday; the first of the month |
/// | `tonight`, `eod`, `eow`, `eom` | today at 20:00; today, Sunday, the last day of the month |
/// | `1st`, `31st` | the next such day of a month after today |
/// | `2026-12-01`, `1 dec`, `dec 1 2027`, `24.12.2026` | that day; without a year, the next one that is not over |
/// | `in 3 days`, `2w`, `+3d`, `in 2 months`, `in a year` | that day |
/// | a day and `9:00`, `21:30:15`, `9am`, `9:30 pm`, `noon`, `at 9`, `17` | that day at that time |
/// | `9:00`, `9am`, `noon` | the next such time |
/// | `in 2h`, `90m`, `in 1h 30m`, `now` | so much later than now, in elapsed time |
/// | `2026-12-01T09:00+02:00`, `2026-12-01 09:00Z` | that moment |
///
/// A day without a time is a whole day. Case and the
/// number of blanks do not matter.
/// `on` may precede a day, and `at` a time. An ambiguous text is refused with examples.
/// A time that does not exist is also refused, such as an hour that clocks skip.
public enum DueTimeParser {
    /// The longest text, in bytes.
    private static let maximumSize = 100
    /// The years that a text may contain.
    static let years = 1...9_999

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: The typed text.
    ///   - now: The current time.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The day, or the point in time, in whole seconds unless the text has a fraction.
    /// - Throws: ``DueTimeError``, with examples.
    public static func read(
        _ text: String, now: PointInTime, in calendar: some LocalCalendar
    ) throws -> TaskTime {
        guard text.utf8.count <= maximumSize else { throw DueTimeError.notUnderstood }
        var words = WordList(text)
        guard !words.isEmpty else { throw DueTimeError.empty }
        let time: TaskTime
        if words.take("now") {
            time = .moment(PointInTime(seconds: now.seconds))
        } else {
            var reader = DueTimeParts()
            try reader.read(&words, now: now, in: calendar)
            time = try reader.resolve(now: now, in: calendar)
        }
        guard words.isEmpty else { throw DueTimeError.notUnderstood }
        guard years.contains(time.date(in: calendar).year) else { throw DueTimeError.outOfRange }
        return time
    }

    /// Words, other than digits, at the beginning of a time.
    public static let firstWords =
        ["in", "at", "on", "next", "today", "tonight", "tomorrow", "noon", "eod", "eow", "eom"]
        + Weekday.allCases.map(\.name).flatMap { [$0, String($0.prefix(3))] }

    /// Parses an interval before a time, such as `10m`, `2 hours` or `1w`.
    ///
    /// - Returns: The earlier time; nil for a text of another form. An interval that begins with
    ///   `in` or `+` counts from now. Days before a day are a day. Hours before a day count from its end.
    /// - Throws: ``DueTimeError`` for an unclear interval.
    public static func read(
        _ text: String, before due: TaskTime, in calendar: some LocalCalendar
    ) throws -> TaskTime? {
        guard text.utf8.count <= maximumSize else { throw DueTimeError.notUnderstood }
        var words = WordList(text)
        guard words.first != "in", !text.hasPrefix("+"),
            let duration = try DueDuration.read(&words), words.isEmpty
        else { return nil }
        let time: TaskTime
        switch duration {
        case .seconds(0): time = due
        case .seconds(let seconds):
            time = .moment(due.end(in: calendar).advanced(by: .seconds(-seconds)))
        case .days(let months, let days):
            guard let month = due.date(in: calendar).advanced(byMonths: -months) else {
                throw DueTimeError.outOfRange
            }
            let date = month.advanced(byDays: -days)
            switch due {
            case .day: time = .day(date)
            case .moment(let moment):
                time = .moment(calendar.moment(of: calendar.local(at: moment).moved(to: date)))
            }
        }
        guard years.contains(time.date(in: calendar).year) else { throw DueTimeError.outOfRange }
        return time
    }

    /// Whether the year of a time is in ``years`` in some zone, or the time is nil.
    static func accepts(_ time: TaskTime?) -> Bool {
        switch time {
        case nil: return true
        case .day(let date): return years.contains(date.year)
        case .moment(let time): return accepts(time)
        }
    }

    /// The same for a point in time.
    static func accepts(_ time: PointInTime) -> Bool {
        let date = LocalTime(secondsInUTC: time.seconds).date
        return [-1, 1].contains { years.contains(date.advanced(byDays: $0).year) }
    }
}

/// The reason why a text is not a due time.
public enum DueTimeError: Error, Sendable, Hashable {
    /// The text is empty.
    case empty
    /// The text has an unknown form.
    case notUnderstood
    /// A date with several readings that depend on the country.
    case ambiguousDate(readings: [String])
    /// A word with several meanings, such as `this friday`, `next weekend`, `midnight`; the first of them, or both.
    case ambiguousWord(String)
    /// A number that may be an hour of the morning or of the evening, or no hour.
    case unclearTime
    /// A day beyond the end of its month.
    case impossibleDate
    /// An hour, minute or second beyond the last one.
    case impossibleTime
    /// An offset from UTC of a day or more.
    case impossibleOffset
    /// An offset from UTC without a whole date and a time.
    case offsetWithoutDate
    /// Days or months combined with hours or minutes; the result depends on clock changes.
    case mixedUnits
    /// A number without a unit.
    case missingUnit
    /// A time outside the years 1 to 9999.
    case outOfRange
    /// Clocks skip the time; `around` are the possible meanings.
    case skipped(LocalTime, around: [LocalTime])
    /// Clocks show the time twice; `spellings` has one text for each.
    case repeated(LocalTime, spellings: [String])
}

extension DueTimeError: CustomStringConvertible {
    /// The reason for messages, in lower case and without a full stop.
    public var description: String {
        switch self {
        case .empty: "the time is empty"
        case .notUnderstood: "the time was not understood"
        case .ambiguousDate: "ambiguous date: its order differs between countries"
        case .ambiguousWord(let word): "ambiguous word '\(word)'"
        case .unclearTime: "an hour needs minutes, or am or pm"
        case .impossibleDate: "the date does not exist"
        case .impossibleTime: "the time of day does not exist"
        case .impossibleOffset: "the offset from UTC does not exist"
        case .offsetWithoutDate: "an offset from UTC needs a whole date and a time before it"
        case .mixedUnits: "days and hours cannot be combined"
        case .missingUnit: "a number needs its unit"
        case .outOfRange: "the year is not between 1 and 9999"
        case .skipped(let local, _):
            "\(TimeText.text(local)) does not exist: clocks are set forward over it"
        case .repeated(let local, _):
            "\(TimeText.text(local)) occurs twice: clocks are set back over it"
        }
    }

    /// Two or three valid texts.
    public var examples: [String] {
        switch self {
        case .empty, .notUnderstood: ["tomorrow 9:00", "fri 18:00", "2026-12-01"]
        case .ambiguousDate(let readings): readings
        case .ambiguousWord: ["fri 18:00", "next week", "2026-12-01 09:00"]
        case .unclearTime, .impossibleTime: ["9:00", "9pm", "fri 23:59"]
        case .impossibleDate: ["2026-12-01", "29 feb", "in 3 days"]
        case .impossibleOffset, .offsetWithoutDate: ["2026-12-01T09:00+02:00", "2026-12-01 09:00Z"]
        case .outOfRange: ["2026-12-01", "9999-12-31"]
        case .mixedUnits, .missingUnit: ["in 3 days", "in 2h", "in 1h 30m"]
        case .skipped(_, let around): around.map { TimeText.text($0) }
        case .repeated(_, let spellings): spellings
        }
    }
}
