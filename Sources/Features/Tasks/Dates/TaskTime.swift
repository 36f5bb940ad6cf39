internal import TextCoding

/// A due time, a start or a reminder: a day, or a point in time.
///
/// A day is the same date in every zone. It is over when it is over for the owner.
public enum TaskTime: Sendable, Hashable {
    /// A whole day.
    case day(CalendarDate)
    /// A point in time.
    case moment(PointInTime)

    /// The point in time; nil for a day.
    public var moment: PointInTime? {
        guard case .moment(let time) = self else { return nil }
        return time
    }

    /// The day; nil for a point in time.
    public var day: CalendarDate? {
        guard case .day(let date) = self else { return nil }
        return date
    }

    /// The date for the owner.
    public func date(in calendar: some LocalCalendar) -> CalendarDate {
        switch self {
        case .day(let date): date
        case .moment(let time): calendar.local(at: time).date
        }
    }

    /// The point in time, or the first moment of the day.
    public func start(in calendar: some LocalCalendar) -> PointInTime {
        switch self {
        case .day(let date): calendar.start(of: date)
        case .moment(let time): time
        }
    }

    /// The point in time, or the first moment after the day.
    public func end(in calendar: some LocalCalendar) -> PointInTime {
        switch self {
        case .day(let date): calendar.start(of: date.advanced(byDays: 1))
        case .moment(let time): time
        }
    }

    /// The time on the clocks of a zone.
    func floating(in calendar: some LocalCalendar) -> FloatingTime {
        switch self {
        case .day(let date): .day(date)
        case .moment(let time): .time(calendar.local(at: time))
        }
    }

    /// Whether it comes before a moment: a day, if its end does.
    public func isBefore(_ now: CalendarMoment) -> Bool {
        switch self {
        case .day(let date): date < now.day
        case .moment(let time): time < now.time
        }
    }

    /// Whether it comes after a moment: a day, if its start does.
    public func isAfter(_ now: CalendarMoment) -> Bool {
        switch self {
        case .day(let date): now.day < date
        case .moment(let time): now.time < time
        }
    }

    /// Whether a task of this due time is not overdue yet, nor due at this moment.
    func isStillDue(after now: PointInTime, in calendar: any LocalCalendar) -> Bool {
        switch self {
        case .day(let date): calendar.local(at: now).date <= date
        case .moment(let time): now < time
        }
    }

    /// The time that has the same distance from another origin.
    ///
    /// Within a day, that is elapsed time. A distance of days keeps the time of day when clocks are set.
    func moved(
        from old: TaskTime, to new: TaskTime, in calendar: some LocalCalendar
    ) -> TaskTime {
        if old == new { return self }
        let days = Int(date(in: calendar).number - old.date(in: calendar).number)
        let date = new.date(in: calendar).advanced(byDays: days)
        guard case .moment(let time) = self else { return .day(date) }
        if let old = old.moment, let new = new.moment {
            if days == 0 {
                return .moment(
                    new.advanced(by: .milliseconds(time.milliseconds - old.milliseconds)))
            }
            // The owner may have moved the time of day, too.
            let shift = calendar.local(at: new).secondOfDay - calendar.local(at: old).secondOfDay
            let local = calendar.local(at: time)
            let seconds = date.number * 86_400 + Int64(local.secondOfDay + shift)
            return .moment(calendar.moment(of: LocalTime(secondsInUTC: seconds)))
        }
        return .moment(calendar.moment(of: calendar.local(at: time).moved(to: date)))
    }

    /// The same time of day on another date; of a day, that date.
    ///
    /// - Parameters:
    ///   - date: The date for the owner.
    ///   - calendar: The calendar of the owner.
    /// - Returns: The time. If clocks skip it, the offset from before the change applies.
    public func moved(toDate date: CalendarDate, in calendar: some LocalCalendar) -> TaskTime {
        moved(from: .day(self.date(in: calendar)), to: .day(date), in: calendar)
    }

    /// The time in whole seconds, as most formats have it.
    var inSeconds: TaskTime {
        switch self {
        case .day: self
        case .moment(let time): .moment(PointInTime(seconds: time.seconds))
        }
    }

    /// The time, if a task may have it; else nil.
    var ifStorable: TaskTime? { DueTimeParser.accepts(self) ? self : nil }
}

extension FloatingTime {
    /// The time in a zone.
    func taskTime(in calendar: any LocalCalendar) -> TaskTime {
        switch self {
        case .day(let date): .day(date)
        case .time(let local): .moment(calendar.moment(of: local))
        }
    }
}

// The form in databases.
extension TaskTime {
    private static let dayLength: Int64 = 172_800_000

    /// The time in half milliseconds since 1970-01-01 UTC. A point in time is an even number. A day is the odd number before its end in
    /// UTC, so that an index sorts days among points in time, right within a day.
    package var stored: Int64 {
        switch self {
        case .day(let date):
            // The last and the first day are whole in no number.
            max(Int64.min / Self.dayLength, min(Int64.max / Self.dayLength, date.number + 1))
                * Self.dayLength - 1
        case .moment(let time):
            max(Int64.min / 2, min(Int64.max / 2, time.milliseconds)) * 2
        }
    }

    /// The date in UTC of a stored time.
    static func utcDate(of stored: Int64) -> CalendarDate {
        CalendarDate(number: stored.floorQuotient(dayLength))
    }

    /// Reads the stored form; nil for a number that is none.
    package init?(stored: Int64) {
        if stored & 1 == 0 {
            self = .moment(PointInTime(milliseconds: stored / 2))
        } else {
            let (end, isTooLarge) = stored.addingReportingOverflow(1)
            guard !isTooLarge, end % Self.dayLength == 0 else { return nil }
            self = .day(CalendarDate(number: end / Self.dayLength - 1))
        }
    }
}

/// A point in time and its date for the owner, with which days are compared.
public struct CalendarMoment: Sendable, Hashable {
    /// The point in time.
    public let time: PointInTime
    /// Its date.
    public let day: CalendarDate

    /// Creates a moment in the calendar of the owner.
    public init(_ time: PointInTime, in calendar: some LocalCalendar) {
        self.time = time
        day = calendar.local(at: time).date
    }
}
