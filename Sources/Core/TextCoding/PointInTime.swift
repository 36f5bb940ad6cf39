internal import Platform

/// A point in time, in milliseconds since 1970-01-01 UTC.
public struct PointInTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01 UTC; negative before.
    public let milliseconds: Int64

    /// Creates a point in time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a point in time from whole seconds. A value out of range becomes the first or the last point.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// The current time. The corresponding C function is `clock_gettime` with `CLOCK_REALTIME`.
    public static var now: PointInTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return PointInTime(
            milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The seconds since 1970-01-01 UTC, rounded down.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The point later by `duration`, or earlier if it is negative, limited to the first and the last point.
    public func advanced(by duration: Duration) -> PointInTime {
        let (seconds, attoseconds) = duration.components
        let distance = seconds.multipliedReportingOverflow(by: 1_000)
        let whole =
            distance.overflow
            ? (seconds < 0 ? .min : .max)
            : distance.partialValue + attoseconds / 1_000_000_000_000_000
        let (sum, overflow) = milliseconds.addingReportingOverflow(whole)
        return PointInTime(milliseconds: overflow ? (whole < 0 ? .min : .max) : sum)
    }

    /// Orders by time.
    public static func < (left: PointInTime, right: PointInTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
