internal import Platform
internal import Synchronization

/// Protection of a process that handles secrets, applied at its start.
public enum ProcessHardening {
    /// Reduces the ways by which memory can leak from the process. Call it first in `main`.
    ///
    /// - Crash signals end the process silently: Swift's own handlers would print memory.
    /// - No core dumps. If the system supports it, no tracing by the same user, and no new privileges for child processes.
    /// - New files of the process are readable only by their owner (umask 077).
    ///
    /// The protection is incomplete: the administrator can still read all memory. Not thread-safe.
    ///
    /// - Parameter runsPrograms: Whether the programs that it runs may gain privileges, as `sudo` and some mailers do.
    public static func apply(runsPrograms: Bool = false) {
        for signalNumber in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(signalNumber, SIG_DFL)
        }
        // If the parent process ignored it, this process could not learn how its children end.
        signal(SIGCHLD, SIG_DFL)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(coreLimit, &none)
        forbidTracing()
        if !runsPrograms { forbidNewPrivileges() }
        // Last: a process with this mask has all of the protection.
        startMask.withLock { $0 = umask(0) }
        umask(0o077)
    }

    /// Restores the file mode mask that the parent process chose, for a program that replaces this process.
    ///
    /// The limit of core dumps stays. Not thread-safe.
    public static func restoreFileMode() {
        umask(startMask.withLock { $0 })
    }

    /// Runs `body`, which starts another program, with the file mode mask that the parent process
    /// chose. Not thread-safe.
    public static func withStartFileMode<Result>(_ body: () throws -> Result) rethrows -> Result {
        restoreFileMode()
        defer { umask(0o077) }
        return try body()
    }

    /// The mask at the start of the process.
    private static let startMask = Mutex<mode_t>(0o022)
}
