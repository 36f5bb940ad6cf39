internal import Platform

/// The calendar of the system's time zone: that of the variable `TZ`, or of the machine.
///
/// The corresponding C function is `localtime_r`. The zone is that of the first use in a process.
public struct SystemCalendar: LocalCalendar {
    /// Makes a calendar.
    public init() {
        // `localtime_r` need not do this.
        tzset()
    }

    /// How many seconds the clocks are ahead of UTC.
    public func offset(at time: PointInTime) -> Int {
        var seconds = time_t(time.seconds)
        // Unsafe for a pointer in it, the name of the zone, which nothing here looks at.
        var parts = unsafe tm()
        // It fails for years beyond 32 bits only, which milliseconds do not reach.
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_gmtoff)
    }
}
