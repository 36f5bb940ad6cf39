#if os(Linux)
    internal import Platform

    /// Suspend and locked desktop sessions, as logind or elogind report them on the system bus.
    ///
    /// Designed for a `poll` loop: wait on ``descriptor`` for ``pollEvents``, at most
    /// ``pollTimeout``.
    /// Then call ``next()`` until it is `nil`. Delays sleep until ``releaseSleep()`` or the end of
    /// its lifetime. Not thread-safe.
    @safe final class SleepAndLockEvents {
        private let login: OpaquePointer

        /// The agent waits at most two seconds for a bus or a login manager that does not answer.
        static let timeout: UInt64 = 2_000_000

        /// Connects, and delays sleep; `nil` without the library, the bus or a login manager.
        ///
        /// - Parameters:
        ///   - address: The address of a bus; `nil` for the system bus, or that of `DBUS_SYSTEM_BUS_ADDRESS`.
        ///   - library: The file name of a library with the functions of sd-bus; `nil` for libsystemd or libelogind.
        ///   - timeout: The longest wait of any method of this type for an answer, in microseconds.
        init?(
            address: String? = nil, library: String? = nil,
            timeout: UInt64 = SleepAndLockEvents.timeout
        ) {
            guard let login = unsafe platform_login_open(library, address, timeout) else {
                return nil
            }
            unsafe self.login = login
        }

        deinit {
            unsafe platform_login_close(login)
        }

        /// The descriptor for `poll`; -1, which `poll` ignores, after ``SleepOrLockEvent/disconnected``.
        var descriptor: Int32 { unsafe platform_login_descriptor(login) }

        /// The events for `poll`.
        var pollEvents: Int16 { unsafe platform_login_poll_events(login) }

        /// The timeout for `poll` in milliseconds, -1 for none: 0 while ``next()`` has buffered data.
        var pollTimeout: Int32 { unsafe platform_login_poll_timeout(login) }

        /// The next event; does not wait.
        func next() -> SleepOrLockEvent? {
            switch unsafe platform_login_next(login) {
            case platform_login_will_sleep: .willSleep
            case platform_login_did_wake: .didWake
            case platform_login_session_locked: .sessionLocked
            case platform_login_disconnected: .disconnected
            default: nil
            }
        }

        /// Whether the machine waits for ``releaseSleep()`` before it suspends.
        var delaysSleep: Bool { unsafe platform_login_delays_sleep(login) }

        /// Makes the machine wait for ``releaseSleep()`` before its next suspend, if the system allows that.
        func delaySleep() {
            _ = unsafe platform_login_delay_sleep(login)
        }

        /// Allows the machine to suspend.
        func releaseSleep() {
            unsafe platform_login_release_sleep(login)
        }
    }
#endif
