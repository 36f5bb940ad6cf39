internal import Platform

// Limits on time: overdue and idle connections.
extension ConnectionTable {
    /// The longest time between two checks for overdue connections.
    private static let longestInterval = Duration.milliseconds(250)

    /// The time between two checks: a twentieth of the timeout, and at most 250 ms.
    static func overdueInterval(timeout: Duration) -> Duration {
        timeout > .zero
            ? min(max(timeout / 20, .milliseconds(10)), longestInterval) : longestInterval
    }

    /// Shuts down overdue connections, and those whose client has gone. libmicrohttpd does not
    /// always notice the latter.
    ///
    /// An idle connection with unread bytes is not overdue: its request has come, and waits for a busy thread.
    func shutDownOverdue(at now: MonotonicTime) {
        state.update { state in
            for descriptor in state.started {
                guard let connection = state.connections[descriptor] else { continue }
                let isOverdue =
                    connection.end <= now
                    && !(connection.phase == .idle && Self.hasUnread(descriptor))
                let hasGone =
                    connection.phase <= .reading && platform_has_ended(descriptor) != 0
                guard isOverdue || hasGone else { continue }
                if isOverdue { state.timedOut += 1 }
                connection.clearDeadline()
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Shuts down connections without a request and without unread bytes.
    func shutDownIdle() {
        state.update { state in
            for descriptor in state.started
            where state.connections[descriptor]?.phase == .idle && !Self.hasUnread(descriptor) {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private static func hasUnread(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }
}
