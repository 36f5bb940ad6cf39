internal import Platform
internal import TextCoding

/// The Gregorian calendar of a location, and its offset from UTC.
public protocol LocalCalendar: Sendable {
    /// The offset from UTC at a point in time, in seconds; positive east of Greenwich, less than a day.
    func offset(at time: PointInTime) -> Int
}

extension LocalCalendar {
    /// The local time at a point in time.
    public func local(at time: PointInTime) -> LocalTime {
        LocalTime(secondsInUTC: time.seconds + Int64(offset(at: time)))
    }

    /// The points in time of a local time, in ascending order. They are two if clocks show it
    /// twice, and none if clocks skip it.
    public func pointsInTime(of local: LocalTime) -> [PointInTime] {
        moments(of: local).filter { self.local(at: $0) == local }
    }

    /// The candidates for a local time, by the offsets one day before and one day after. Equal
    /// offsets give one, different ones two.
    ///
    /// They contain the point in time of an existing local time, and are the possible meanings of a
    /// skipped one.
    /// This also holds for changes other than daylight saving, which `mktime` with its flag cannot
    /// distinguish.
    /// It requires at most one change in two days.
    func moments(of local: LocalTime) -> [PointInTime] {
        let seconds = local.secondsInUTC
        let offsets = [-86_400, 86_400].map { offset(at: PointInTime(seconds: seconds + $0)) }
        return Set(offsets).map { PointInTime(seconds: seconds - Int64($0)) }.sorted()
    }

    /// The point in time of a local time: the first if clocks show it twice.
    /// If clocks skip it, the offset from before applies (RFC 5545, section 3.3.5).
    func moment(of local: LocalTime) -> PointInTime {
        pointsInTime(of: local).first ?? moments(of: local).last
            ?? PointInTime(seconds: local.secondsInUTC)
    }

    /// The first moment of a day. A day whose midnight clocks skip begins at the clock change.
    func start(of date: CalendarDate) -> PointInTime {
        moment(of: LocalTime(date, hour: 0, minute: 0))
    }
}

/// The calendar of the system's time zone: the one in the variable `TZ`, or the machine's.
///
/// The corresponding C function is `localtime_r`. Each new calendar reads the zone again for the
/// whole process.
public struct SystemCalendar: LocalCalendar {
    /// Creates a calendar.
    public init() {
        // POSIX does not require `localtime_r` to call `tzset`.
        tzset()
    }

    /// The offset from UTC in seconds.
    public func offset(at time: PointInTime) -> Int {
        var seconds = time_t(time.seconds)
        // Unsafe because of the unused pointer to the zone's name.
        var parts = unsafe tm()
        // The call fails only for years beyond 32 bits, which milliseconds cannot reach.
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_gmtoff)
    }
}
