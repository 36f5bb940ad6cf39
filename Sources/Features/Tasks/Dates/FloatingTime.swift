internal import TextCoding

/// A day, or a date and a time of day, without a zone (RFC 5545, sections 3.3.4 and 3.3.5, form 1).
public enum FloatingTime: Sendable, Hashable {
    /// A whole day.
    case day(CalendarDate)
    /// A time of a day.
    case time(LocalTime)

    /// Parses `20261207` or `20261207T090000`; nil for any other text.
    init?(basic text: some StringProtocol) {
        if let date = CalendarDate(basic: text) {
            self = .day(date)
        } else if let local = LocalTime(basic: text) {
            self = .time(local)
        } else {
            return nil
        }
    }

    /// `20261207` or `20261207T090000`.
    var basic: String {
        switch self {
        case .day(let date): date.basic
        case .time(let local): local.basic
        }
    }

    /// The date.
    public var date: CalendarDate { local.date }

    /// The time, or the start of the day.
    package var local: LocalTime {
        switch self {
        case .day(let date): LocalTime(date, hour: 0, minute: 0)
        case .time(let local): local
        }
    }

    /// Whether it is a whole day.
    var isDay: Bool {
        if case .day = self { true } else { false }
    }
}
