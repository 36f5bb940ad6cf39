package import Platform

/// Holds back the signals by which a person ends a program, so that it can tidy up first.
///
/// No handler is needed: whoever works in steps asks between them whether a signal waits. Child processes get the old mask back, end by the
/// signal themselves, and so end the step. Not thread-safe: it is about the calling thread.
package struct HeldSignals: ~Copyable {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private var before = sigset_t()

    /// Begins to hold them back.
    ///
    /// The corresponding C function is `pthread_sigmask`.
    package init() {
        var held = sigset_t()
        unsafe sigemptyset(&held)
        for number in Self.numbers { unsafe sigaddset(&held, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &held, &before)
    }

    deinit {
        // One that waits takes effect now, unless it was taken.
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// The mask as it was before, for a child process.
    package var original: sigset_t { before }

    /// Whether a signal waits.
    ///
    /// The corresponding C function is `sigpending`.
    package var isWaiting: Bool {
        var waiting = sigset_t()
        unsafe sigpending(&waiting)
        return Self.numbers.contains { unsafe sigismember(&waiting, $0) == 1 }
    }

    /// Takes a signal that waits, if there is one.
    ///
    /// The corresponding C functions are `sigpending` and `sigwait`.
    package borrowing func take() -> Int32? {
        var waiting = sigset_t()
        unsafe sigpending(&waiting)
        for number in Self.numbers where unsafe sigismember(&waiting, number) == 1 {
            var one = sigset_t()
            unsafe sigemptyset(&one)
            unsafe sigaddset(&one, number)
            var taken: Int32 = 0
            unsafe sigwait(&one, &taken)
            return number
        }
        return nil
    }

    /// Waits for a signal and takes it, also one that the starter had ignored. Threads that were started since hold them back too.
    ///
    /// The corresponding C function is `sigwait`.
    package borrowing func wait() -> Int32 {
        var held = sigset_t()
        unsafe sigemptyset(&held)
        for number in Self.numbers { unsafe sigaddset(&held, number) }
        var taken: Int32 = 0
        while unsafe sigwait(&held, &taken) != 0 {}
        return taken
    }
}
