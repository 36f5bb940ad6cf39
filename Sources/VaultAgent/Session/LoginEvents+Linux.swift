#if os(Linux)
    internal import Platform

    /// Sleep and locked desktop sessions, as logind or elogind tell of them on the system's bus.
    ///
    /// For a loop around `poll`: wait on ``descriptor`` for ``pollEvents``, no longer than ``pollTimeout``, then take ``next()`` until it is
    /// `nil`. While it lives, sleep is delayed until ``releaseSleep()``. Not thread-safe.
    @safe final class LoginEvents {
        private let login: OpaquePointer

        /// The two seconds that the agent waits for a bus or a login manager that does not answer.
        static let timeout: UInt64 = 2_000_000

        /// Connects, and delays sleep; `nil` where there is no such library, bus or login manager.
        ///
        /// - Parameters:
        ///   - address: Of a bus; the system's if it is `nil`, which `DBUS_SYSTEM_BUS_ADDRESS` may name.
        ///   - library: The file name of a library with the functions of sd-bus; libsystemd or libelogind if it is `nil`.
        ///   - timeout: How long any method of this type may wait for an answer, in microseconds.
        init?(
            address: String? = nil, library: String? = nil, timeout: UInt64 = LoginEvents.timeout
        ) {
            guard let login = unsafe platform_login_open(library, address, timeout) else {
                return nil
            }
            unsafe self.login = login
        }

        deinit {
            unsafe platform_login_close(login)
        }

        /// What to wait on, -1 after ``LoginEvent/disconnected``: `poll` leaves that out.
        var descriptor: Int32 { unsafe platform_login_descriptor(login) }

        /// What to wait for, as `poll` names it.
        var pollEvents: Int16 { unsafe platform_login_poll_events(login) }

        /// How long to wait in milliseconds, -1 for any time: 0 while ``next()`` has something that was read already.
        var pollTimeout: Int32 { unsafe platform_login_poll_timeout(login) }

        /// The next event, without waiting for one.
        func next() -> LoginEvent? {
            switch unsafe platform_login_next(login) {
            case platform_login_will_sleep: .willSleep
            case platform_login_did_wake: .didWake
            case platform_login_session_locked: .sessionLocked
            case platform_login_disconnected: .disconnected
            default: nil
            }
        }

        /// Whether the machine waits for ``releaseSleep()`` before it sleeps.
        var delaysSleep: Bool { unsafe platform_login_delays_sleep(login) }

        /// Makes the machine wait for ``releaseSleep()`` before its next sleep, where the system allows that.
        func delaySleep() {
            _ = unsafe platform_login_delay_sleep(login)
        }

        /// Lets the machine sleep.
        func releaseSleep() {
            unsafe platform_login_release_sleep(login)
        }
    }
#endif
