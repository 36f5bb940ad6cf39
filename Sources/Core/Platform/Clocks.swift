/// The clock that shows the date (`CLOCK_REALTIME`).
package enum WallClock {
    /// Whether a time server or another source keeps the clock correct; true if the system does not report it.
    ///
    /// The corresponding C function is `adjtimex`.
    package static var isSynchronised: Bool { platform_clock_is_synchronised() != 0 }
}

/// Suspends the calling thread.
package enum SystemSleep {
    /// The corresponding C function is `nanosleep`; a signal may interrupt it.
    package static func sleep(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        var wanted = timespec(
            tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&wanted, nil)
    }

    /// Returns at a time; earlier after a signal.
    package static func sleep(until time: MonotonicTime) {
        var wanted = time.remaining
        unsafe nanosleep(&wanted, nil)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
