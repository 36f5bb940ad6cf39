internal import Platform

/// What a process that handles secrets does before anything else.
public enum ProcessHardening {
    /// Closes the doors through which memory leaves a process; call it as the first act of `main`.
    ///
    /// - Crash signals end the process silently: Swift's own handlers print memory.
    /// - No core dump, and where the system can, no tracing by the same user and no new privileges in children.
    /// - Files that the process makes are readable by its owner only (umask 077).
    ///
    /// Not perfect protection: the administrator can still read everything. Not thread-safe.
    public static func apply() {
        for signalNumber in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(signalNumber, SIG_DFL)
        }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(coreLimit, &none)
        umask(0o077)
        forbidTracing()
    }
}
