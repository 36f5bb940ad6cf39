/// Blocks the signals with which a user ends a program, so that it can clean up first.
///
/// Needs no handler. Not thread-safe: applies to the calling thread.
package struct HeldSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private static var set: sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        return set
    }

    private var before = sigset_t()

    /// Lets them end the calling thread's process, even if the process that started it had blocked them.
    package static func unblock() {
        var held = Self.set
        unsafe pthread_sigmask(SIG_UNBLOCK, &held, nil)
    }

    /// Begins to block them.
    ///
    /// The corresponding C function is `pthread_sigmask`.
    package init() {
        var held = Self.set
        unsafe pthread_sigmask(SIG_BLOCK, &held, &before)
    }

    deinit {
        // A pending signal takes effect now, unless it was consumed.
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Whether one of them has come. It takes effect at the end of this value.
    ///
    /// The corresponding C function is `sigpending`.
    package var isPending: Bool {
        var pending = sigset_t()
        unsafe sigemptyset(&pending)
        unsafe sigpending(&pending)
        return Self.numbers.contains { unsafe sigismember(&pending, $0) == 1 }
    }

    /// Stops to block the signals for a while, for a prompt that handles them itself; ``hold()`` must follow.
    package borrowing func release() {
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Blocks the signals again.
    package borrowing func hold() {
        var held = Self.set
        unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
    }

    /// Waits for a signal and consumes it, even one that the parent process had ignored. Threads started since then block the signals
    /// too.
    ///
    /// The corresponding C function is `sigwait`.
    package borrowing func wait() -> Int32 {
        var held = Self.set
        var taken: Int32 = 0
        while unsafe sigwait(&held, &taken) != 0 {}
        return taken
    }
}
