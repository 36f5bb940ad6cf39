internal import Platform

/// Swift's crash reports, which are useless for an intended crash.
package enum CrashReports {
    /// Makes crash signals end this process at once: call it first in an exit test that crashes.
    package static func turnOff() {
        for signalNumber in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(signalNumber, SIG_DFL)
        }
    }
}
