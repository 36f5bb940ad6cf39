internal import Platform

/// A time of the system's clock that nobody sets, in nanoseconds.
package struct MonotonicTime: Comparable, Sendable {
    let nanoseconds: Int64

    /// Later than any other.
    package static let never = MonotonicTime(nanoseconds: .max)

    /// The present.
    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The earlier one is smaller.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time after `duration`; never, where that is too far away to be counted.
    package static func + (left: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (part, isTooLate) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        let (sum, isNever) = left.nanoseconds.addingReportingOverflow(part)
        return isTooLong || isTooLate || isNever ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// As the system's functions take it.
    var specification: timespec {
        timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    /// How long it is until then, as the system's functions take it.
    var untilThen: timespec {
        MonotonicTime(nanoseconds: max(0, nanoseconds - Self.now.nanoseconds)).specification
    }
}
