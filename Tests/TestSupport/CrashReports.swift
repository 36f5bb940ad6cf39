internal import Platform

/// Swift's crash reports, which a process that is meant to crash does not need.
package enum CrashReports {
    /// Lets the signals of a crash end this process at once: the first act of an exit test that crashes.
    package static func turnOff() {
        for signalNumber in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(signalNumber, SIG_DFL)
        }
    }
}
