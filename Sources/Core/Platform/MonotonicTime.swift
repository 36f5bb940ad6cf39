/// A time of the monotonic clock (`CLOCK_MONOTONIC`), in nanoseconds.
package struct MonotonicTime: Comparable, Sendable {
    package let nanoseconds: Int64

    /// Creates a time from a number of nanoseconds.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Later than any other time.
    package static let never = MonotonicTime(nanoseconds: .max)

    /// The current time.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Orders by time.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time after `duration`; `never` if it overflows.
    package static func + (left: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (part, isTooLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isNever) = left.nanoseconds.addingReportingOverflow(part)
        return isTooLong || isTooLate || isNever ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// The time as a `timespec`.
    var specification: timespec {
        timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// The time remaining from now, as a `timespec`.
    var remaining: timespec {
        MonotonicTime(nanoseconds: max(0, nanoseconds - Self.now.nanoseconds)).specification
    }
}
