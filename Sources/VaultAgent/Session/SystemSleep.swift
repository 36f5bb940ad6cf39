internal import Platform

/// Sleeping in the calling thread.
package enum SystemSleep {
    /// The corresponding C function is `nanosleep`; a signal may end it early.
    package static func sleep(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        var wanted = timespec(
            tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        unsafe nanosleep(&wanted, nil)
    }
}
