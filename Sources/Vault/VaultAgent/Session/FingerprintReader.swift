internal import Platform

/// A fingerprint reader that fprintd has claimed for this agent and this user.
///
/// Designed for a `poll` loop, like ``SleepAndLockEvents``. The `deinit` releases the reader. Not
/// thread-safe.
@safe final class FingerprintReader {
    /// An event of the reader.
    enum Event {
        case match
        case noMatch
        /// The scan failed; the reader waits again.
        case retry
        case failed(FingerError)
    }

    #if os(Linux)
        /// Whether this platform supports a reader.
        static let isSupported = true
        /// The fixed address of the system bus, because an environment variable could name another
        /// one.
        static let address = "unix:path=/run/dbus/system_bus_socket"
        /// The time limit for fprintd to start and to open the reader, in microseconds.
        static let timeout: UInt64 = 10_000_000

        private let finger: OpaquePointer

        /// Claims the reader and starts a scan.
        ///
        /// - Throws: ``FingerError``.
        init(
            address: String = FingerprintReader.address, timeout: UInt64 = FingerprintReader.timeout
        )
            throws
        {
            var result = platform_finger_failed
            guard let finger = unsafe platform_finger_open(address, timeout, &result) else {
                throw Self.error(result)
            }
            unsafe self.finger = finger
        }

        deinit {
            unsafe platform_finger_close(finger)
        }

        /// The descriptor for `poll`; -1 after the bus has disconnected.
        var descriptor: Int32 { unsafe platform_finger_descriptor(finger) }

        /// The events for `poll`.
        var pollEvents: Int16 { unsafe platform_finger_poll_events(finger) }

        /// The timeout for `poll` in milliseconds, -1 for none.
        var pollTimeout: Int32 { unsafe platform_finger_poll_timeout(finger) }

        /// The next event; does not wait.
        func next() -> Event? {
            switch unsafe platform_finger_next(finger) {
            case platform_finger_none: nil
            case platform_finger_match: .match
            case platform_finger_no_match: .noMatch
            case platform_finger_retry: .retry
            case let other: .failed(Self.error(other))
            }
        }

        /// Starts another scan after ``Event/noMatch``.
        ///
        /// - Throws: ``FingerError``.
        func again() throws {
            let result = unsafe platform_finger_again(finger)
            guard result == platform_finger_ready else { throw Self.error(result) }
        }

        private static func error(_ event: platform_finger_event) -> FingerError {
            switch event {
            case platform_finger_absent: .absent
            case platform_finger_no_reader: .noReader
            case platform_finger_not_enrolled: .notEnrolled
            case platform_finger_busy: .busy
            case platform_finger_denied: .denied
            case platform_finger_not_trusted: .notTrusted
            case platform_finger_removed: .removed
            case platform_finger_gone: .gone
            default: .failed
            }
        }
    #else
        /// This platform has no fprintd.
        static let isSupported = false

        init() throws { throw FingerError.absent }

        var descriptor: Int32 { -1 }

        var pollEvents: Int16 { 0 }

        var pollTimeout: Int32 { -1 }

        func next() -> Event? { nil }

        func again() throws {}
    #endif
}
