/// The clock of a session: it counts the time that the machine was suspended and knows nothing of the wall clock.
public protocol SessionClock: Sendable {
    /// The time since some moment in the past.
    var now: Duration { get }

    /// Waits, at least until then.
    func sleep(until time: Duration)
}

/// The system's clock that counts suspended time: `CLOCK_BOOTTIME` on Linux, `mach_continuous_time` on macOS.
public struct SystemSessionClock: SessionClock {
    /// Makes a clock; all of them are the same.
    public init() {}

    /// The time since the machine was started.
    public var now: Duration { ContinuousClock().systemEpoch.duration(to: .now) }

    /// Waits, at least until then.
    public func sleep(until time: Duration) {
        // In short pieces: nanosleep does not count the time that the machine was suspended.
        while true {
            let left = time - now
            guard left > .zero else { return }
            SystemSleep.sleep(min(left, .seconds(1)))
        }
    }
}
