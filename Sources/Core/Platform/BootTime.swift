/// A time of the clock that counts suspended time: `CLOCK_BOOTTIME` on Linux, `CLOCK_MONOTONIC` on macOS.
///
/// The standard library's `ContinuousClock` would bring the whole of Swift's concurrency and libdispatch into each executable, which prepare
/// themselves at each start.
package struct BootTime: Comparable, Sendable {
    /// The time since a fixed moment, such as the start of the machine.
    package let sinceStart: Duration

    private init(sinceStart: Duration) {
        self.sinceStart = sinceStart
    }

    /// The current time.
    package static var now: BootTime {
        #if os(Linux)
            let clock = CLOCK_BOOTTIME
        #else
            let clock = CLOCK_MONOTONIC
        #endif
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return BootTime(
            sinceStart: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec)))
    }

    /// Orders by time.
    package static func < (left: BootTime, right: BootTime) -> Bool {
        left.sinceStart < right.sinceStart
    }

    /// The time after `duration`.
    package static func + (left: BootTime, duration: Duration) -> BootTime {
        BootTime(sinceStart: left.sinceStart + duration)
    }

    /// The time between two times.
    package static func - (left: BootTime, right: BootTime) -> Duration {
        left.sinceStart - right.sinceStart
    }

    /// The time until a later time; negative for an earlier one.
    package func duration(to other: BootTime) -> Duration { other - self }
}
