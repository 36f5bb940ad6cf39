/// Blocks the signals with which a user ends a program, so that the program can clean up first.
///
/// Needs no signal handler. Applies to the calling thread; not thread-safe.
package struct BlockedSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private static var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    private var before = sigset_t()

    /// Unblocks these signals in the calling thread, even if the parent process had blocked them.
    package static func unblockAll() {
        var blocked = Self.set
        unsafe pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    }

    /// Blocks the signals.
    ///
    /// The corresponding C function is `pthread_sigmask`.
    package init() {
        var blocked = Self.set
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    }

    deinit {
        // A pending signal takes effect now, unless `wait()` consumed it.
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Whether one of the signals is pending. It takes effect when this value ends.
    package var isPending: Bool { Self.arePending }

    /// Whether one of the signals is blocked in the calling thread and pending. One that the program ignores, as below `nohup`, ends nothing.
    ///
    /// The corresponding C function is `sigpending`.
    package static var arePending: Bool {
        var pending = sigset_t()
        unsafe sigemptyset(&pending)
        unsafe sigpending(&pending)
        return numbers.contains {
            unsafe sigismember(&pending, $0) == 1 && platform_is_ignored($0) == 0
        }
    }

    /// Waits for a signal and consumes it, even if the parent process ignored it. Threads started since the signals were blocked inherit
    /// the blocking.
    ///
    /// The corresponding C function is `sigwait`.
    package borrowing func wait() -> Int32 {
        var blocked = Self.set
        var number: Int32 = 0
        while unsafe sigwait(&blocked, &number) != 0 {}
        return number
    }
}
