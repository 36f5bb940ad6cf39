#if os(Linux)
    internal import Platform

    /// Serves secrets on a session bus until it is stopped, in the thread of the caller. A bus that ends is waited for.
    package enum SecretServiceLoop {
        /// The pauses before a new connection.
        private static let pauses: (Duration, Duration) = (.seconds(1), .seconds(60))
        /// After this time without a message memory is given back: the list of a large vault has megabytes.
        private static let busy: Duration = .seconds(2)

        /// Runs it.
        ///
        /// - Parameters:
        ///   - vault: The vault.
        ///   - address: The address of the bus; nil for the session's.
        ///   - replaces: Whether to take the name from another program that permits it.
        ///   - stop: Ends it when readable.
        package static func run(
            _ vault: any ProgramVault, on address: String? = nil, replacing replaces: Bool = false,
            until stop: Int32
        ) {
            run(
                vault, on: address, replacing: replaces, asking: UnlockQuestion.pinentry,
                until: stop)
        }

        static func run(
            _ vault: any ProgramVault, on address: String?, replacing replaces: Bool,
            asking ask: @escaping UnlockQuestion.Ask, until stop: Int32
        ) {
            var pause = pauses.0
            var isReported = false
            while true {
                let begun = MonotonicTime.now
                do {
                    let bus = try SessionBus(address: address)
                    let service = try SecretService(
                        bus, vault, replacing: replaces, asking: ask)
                    defer { service.question.end() }
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

        /// Handles messages.
        ///
        /// - Returns: Whether it was stopped.
        /// - Throws: `SystemFailure`: the connection has ended.
        private static func serve(_ service: SecretService, until stop: Int32) throws -> Bool {
            var rest = MonotonicTime.now + busy
            while true {
                // Limited, so that an endless sender does not keep others waiting. The deadline tells that there is more.
                for _ in 0..<256 {
                    guard let message = try service.bus.next() else { break }
                    try service.take(message)
                    rest = .now + busy
                }
                try service.tick()
                var requests = [stop, service.question.descriptor].map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                requests.append(service.bus.request)
                let deadline = min(service.bus.deadline, service.deadline, rest)
                let count = unsafe poll(
                    &requests, nfds_t(requests.count), timeout(until: deadline))
                if count < 0, errno != EINTR { throw SystemFailure.last("poll") }
                if count > 0, requests[0].revents != 0 { return true }
                if count == 0, .now >= rest {
                    platform_rest()
                    rest = .never
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
