internal import Platform

/// Suspends the calling thread.
package enum SystemSleep {
    /// The corresponding C function is `nanosleep`; a signal may interrupt it.
    package static func sleep(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        var wanted = timespec(
            tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&wanted, nil)
    }
}
