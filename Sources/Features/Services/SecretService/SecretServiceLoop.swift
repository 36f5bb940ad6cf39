#if os(Linux)
    internal import Platform

    /// Runs the Secret Service on a session bus until it is stopped. Reconnects after the bus has
    /// ended.
    ///
    /// Runs in the caller's thread.
    package enum SecretServiceLoop {
        /// The shortest and longest pause before a reconnection.
        private static let pauses: (Duration, Duration) = (.seconds(1), .seconds(60))
        /// After this time without messages, unused heap memory returns to the system. A large
        /// vault's list takes megabytes.
        private static let idleDelay: Duration = .seconds(2)

        /// Runs the service.
        ///
        /// - Parameters:
        ///   - vault: The vault.
        ///   - address: The bus address; nil for the session bus.
        ///   - replaces: Whether to take the bus name from a program that permits it.
        ///   - stop: A descriptor that ends the loop when it becomes readable.
        package static func run(
            _ vault: any ProgramVault, on address: String? = nil, replacing replaces: Bool = false,
            until stop: Int32
        ) {
            run(
                vault, on: address, replacing: replaces, asking: PassphraseDialog.pinentry,
                until: stop)
        }

        static func run(
            _ vault: any ProgramVault, on address: String?, replacing replaces: Bool,
            asking ask: @escaping PassphraseDialog.Ask, until stop: Int32
        ) {
            var pause = pauses.0
            var isReported = false
            while true {
                let begun = MonotonicTime.now
                do {
                    let bus = try SessionBus(address: address)
                    let service = try SecretService(
                        bus, vault, replacing: replaces, asking: ask)
                    defer { service.dialog.cancel() }
                    if try serve(service, until: stop) { return }
                } catch {
                    if MonotonicTime.now > begun + pauses.1 {
                        pause = pauses.0
                        isReported = false
                    }
                    if !isReported {
                        let reason = (error as? SystemFailure)?.explanation ?? "it failed"
                        vault.report(
                            "secrets are not served: the session bus has ended: \(reason)",
                            hint: "it is tried again")
                    }
                    isReported = true
                }
                var request = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
                let milliseconds = Int32(clamping: pause.components.seconds * 1_000)
                if unsafe poll(&request, 1, milliseconds) > 0 { return }
                pause = min(pause * 2, pauses.1)
            }
        }

        /// Handles messages until the stop descriptor is readable.
        ///
        /// - Returns: true after a stop.
        /// - Throws: `SystemFailure`: the connection has ended.
        private static func serve(_ service: SecretService, until stop: Int32) throws -> Bool {
            var trimTime = MonotonicTime.now + idleDelay
            while true {
                // The limit lets other events through during a flood of messages. The deadline
                // reports the rest.
                for _ in 0..<256 {
                    guard let message = try service.bus.next() else { break }
                    try service.handle(message)
                    trimTime = .now + idleDelay
                }
                try service.tick()
                var requests = [stop, service.dialog.descriptor].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                requests.append(service.bus.request)
                let deadline = min(service.bus.deadline, service.deadline, trimTime)
                let count = unsafe poll(
                    &requests, nfds_t(requests.count), timeout(until: deadline))
                if count < 0, errno != EINTR { throw SystemFailure.last("poll") }
                if count > 0, requests[0].revents != 0 { return true }
                if count == 0, .now >= trimTime {
                    platform_rest()
                    trimTime = .never
                }
            }
        }

        private static func timeout(until deadline: MonotonicTime) -> Int32 {
            if deadline == .never { return -1 }
            let left = max(0, deadline.nanoseconds - MonotonicTime.now.nanoseconds)
            return Int32(clamping: (left + 999_999) / 1_000_000)
        }
    }
#endif
