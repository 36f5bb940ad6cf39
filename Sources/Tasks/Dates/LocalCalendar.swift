/// What the clocks of a place show at a point in time: the Gregorian calendar, and how far the place is ahead of UTC.
public protocol LocalCalendar: Sendable {
    /// How many seconds the clocks are ahead of UTC at a point in time; negative where they are behind, less than a day.
    func offset(at time: PointInTime) -> Int
}

extension LocalCalendar {
    /// What the clocks show.
    public func local(at time: PointInTime) -> LocalTime {
        LocalTime(secondsInUTC: time.seconds + Int64(offset(at: time)))
    }

    /// When the clocks show this, in ascending order: once; twice where they are set back over it; never where they are set forward over it.
    public func pointsInTime(of local: LocalTime) -> [PointInTime] {
        moments(of: local).filter { self.local(at: $0) == local }
    }

    /// When clocks would show this that were not set, neither forward nor back, for a day before and a day after: one moment where these two
    /// agree, else two.
    ///
    /// Where a local time exists it is among them; where it does not, they are what the person may have meant. This holds also for changes that
    /// are no daylight saving, which `mktime` with its flag cannot tell apart, as long as there is one change in two days.
    func moments(of local: LocalTime) -> [PointInTime] {
        let seconds = local.secondsInUTC
        let offsets = [-86_400, 86_400].map { offset(at: PointInTime(seconds: seconds + $0)) }
        return Set(offsets).map { PointInTime(seconds: seconds - Int64($0)) }.sorted()
    }
}
