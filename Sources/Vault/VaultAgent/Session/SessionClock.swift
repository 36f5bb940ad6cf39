internal import Platform

/// The clock of a session: it counts suspended time and is independent of the wall clock.
public protocol SessionClock: Sendable {
    /// The time since a fixed moment in the past.
    var now: Duration { get }

    /// Waits at least until this time.
    func sleep(until time: Duration)
}

/// The system's clock that counts suspended time: `CLOCK_BOOTTIME` on Linux, `mach_continuous_time` on macOS.
public struct SystemSessionClock: SessionClock {
    /// Creates a clock; all are equal.
    public init() {}

    /// The time since boot.
    public var now: Duration { BootTime.now.sinceStart }

    /// Waits at least until this time.
    public func sleep(until time: Duration) {
        // The pieces are short because nanosleep does not count suspended time.
        while true {
            let left = time - now
            guard left > .zero else { return }
            SystemSleep.sleep(min(left, .seconds(1)))
        }
    }
}
