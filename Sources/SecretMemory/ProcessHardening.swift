internal import Platform

/// Protection of a process that handles secrets, applied at its start.
public enum ProcessHardening {
    /// Reduces the ways memory can leak from the process; call it first in `main`.
    ///
    /// - Crash signals end the process silently: Swift's own handlers would print memory.
    /// - No core dumps. If the system supports it, no tracing by the same user and no new privileges in children.
    /// - New files of the process are readable only by their owner (umask 077).
    ///
    /// The protection is incomplete: the administrator can still read all memory. Not thread-safe.
    ///
    /// - Parameter hasMailer: Whether children may gain privileges, as a mailer with a group of its own does.
    public static func apply(hasMailer: Bool = false) {
        for signalNumber in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(signalNumber, SIG_DFL)
        }
        // A parent that ignored it would keep this process from learning how its children end.
        signal(SIGCHLD, SIG_DFL)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(coreLimit, &none)
        umask(0o077)
        forbidTracing()
        if !hasMailer { forbidNewPrivileges() }
    }
}
