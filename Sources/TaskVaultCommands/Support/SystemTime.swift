internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The time of this thread.
enum SystemTime {
    /// Does nothing for so many milliseconds, or until a signal.
    ///
    /// The corresponding C function is `nanosleep`.
    static func pause(_ milliseconds: Int) {
        var time = timespec(
            tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        unsafe nanosleep(&time, nil)
    }
}
