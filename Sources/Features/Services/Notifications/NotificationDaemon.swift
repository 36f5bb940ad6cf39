#if os(Linux)
    internal import Platform

    /// The client of the desktop's notification daemon (Desktop Notifications Specification 1.2).
    /// No call blocks.
    ///
    /// Not thread-safe. Accepts only signals from the connection that owns the daemon's bus name.
    final class NotificationDaemon {
        /// A reply or a signal of the daemon.
        enum Event: Sendable, Hashable {
            /// A daemon started. The notifications of an earlier daemon are gone.
            case appeared
            /// The result of ``prepare()``: ``post(_:token:)`` works now, or there is no daemon.
            case ready, missing
            /// The daemon shows the notification and has given it an id.
            case shown(UInt64, id: UInt32)
            /// The daemon did not confirm the notification. `isCertain` is false if the daemon may
            /// have shown it anyway.
            case failed(UInt64, isCertain: Bool)
            /// The user chose an action.
            case action(String, id: UInt32)
            /// The notification was closed.
            case closed(id: UInt32)
        }

        private enum Call {
            case owner, capabilities, notification(UInt64), other
        }

        private static let name = "org.freedesktop.Notifications"
        private static let path = "/org/freedesktop/Notifications"
        private static let busName = "org.freedesktop.DBus"
        private static let busPath = "/org/freedesktop/DBus"

        /// After these errors it is unknown whether the call reached the daemon.
        private static let losses = ["NoReply", "Timeout", "TimedOut", "Disconnected"].map {
            "org.freedesktop.DBus.Error." + $0
        }

        private let bus: SessionBus
        private var calls: [UInt64: Call] = [:]
        private var events: [Event] = []
        /// The unique name of the daemon's connection.
        private var owner: String?
        private var capabilities: Set<String>?
        /// The serial number of the pending `GetCapabilities` call.
        private var capabilityCall: UInt64?

        /// Looks up the daemon. The bus starts a missing one only with the first `prepare()`.
        init(_ bus: SessionBus) throws {
            self.bus = bus
            // The match rules come before the query, so that no change of the owner is missed.
            for rule in [
                "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',"
                    + "member='NameOwnerChanged',arg0='\(Self.name)'",
                "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'",
            ] {
                try callBus("AddMatch", rule, .other)
            }
            try callBus("GetNameOwner", Self.name, .owner)
        }

        /// Whether the bus last named a connection that owns the daemon's name.
        var isRunning: Bool { owner != nil }

        /// Whether the daemon's capabilities are known. The text of a notification depends on them.
        var isReady: Bool { capabilities != nil }

        /// The entry for `poll`.
        var request: pollfd { bus.request }

        /// The latest time at which to call ``next()``. It is in the past if an event is ready.
        var deadline: MonotonicTime {
            events.isEmpty ? bus.deadline : MonotonicTime(nanoseconds: 0)
        }

        /// Asks for the daemon's capabilities; the bus starts an installed daemon. The result is an
        /// event.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func prepare() throws {
            guard capabilities == nil, capabilityCall == nil else { return }
            let call = try bus.call(
                "GetCapabilities", of: Self.name, at: Self.path, to: Self.name)
            calls[call] = .capabilities
            capabilityCall = call
        }

        /// Shows a notification, if the capabilities are known. The result is an event with the
        /// token.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func post(_ notification: Notification, token: UInt64) throws {
            guard let capabilities else { return }
            let number = try bus.call("Notify", of: Self.name, at: Self.path, to: Self.name) {
                try $0.append("TaskVault")
                try $0.append(UInt32(0))
                try $0.append("")
                try $0.append(notification.title(for: capabilities))
                try $0.append(notification.body(for: capabilities))
                try $0.append(notification.actionList(for: capabilities))
                let message = $0
                try message.append(BusMessage.array, of: "{sv}") {
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("urgency")
                        try message.append(BusMessage.variant, of: "y") {
                            try message.append(UInt8(1))
                        }
                    }
                }
                // An expiry time of 0 keeps the notification until the user closes it. A reminder
                // must also reach a user who is away.
                try message.append(Int32(0))
            }
            calls[number] = .notification(token)
        }

        /// Closes a notification.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func close(_ id: UInt32) throws {
            let call = try bus.call(
                "CloseNotification", of: Self.name, at: Self.path, to: Self.name
            ) { try $0.append(id) }
            calls[call] = .other
        }

        /// The next event; nil if there is none now.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func next() throws -> Event? {
            // The limit keeps a flood of messages from blocking the caller. ``deadline`` reports
            // the remaining events.
            for _ in 0..<64 where events.isEmpty {
                guard let message = try bus.next() else { return nil }
                if let number = message.replySerial {
                    guard let call = calls.removeValue(forKey: number) else { continue }
                    try handleReply(message, of: call, number)
                } else {
                    // Ignore a malformed signal: only a faulty program sends one.
                    try? handleSignal(message)
                }
            }
            return events.isEmpty ? nil : events.removeFirst()
        }

        private func callBus(_ member: String, _ argument: String, _ call: Call) throws {
            let number = try bus.call(
                member, of: Self.busName, at: Self.busPath, to: Self.busName
            ) { try $0.append(argument) }
            calls[number] = call
        }

        private func handleReply(
            _ message: BusMessage, of call: Call, _ number: UInt64
        ) throws {
            switch call {
            case .other: break
            case .owner: owner = message.isError ? nil : try? message.readText()
            case .capabilities:
                // Ignore the reply of an earlier daemon.
                guard number == capabilityCall else { return }
                capabilityCall = nil
                capabilities = message.isError ? nil : (try? message.readTexts()).map(Set.init)
                events.append(isReady ? .ready : .missing)
            case .notification(let token):
                if !message.isError, let id = try? message.readNumber() {
                    events.append(.shown(token, id: id))
                } else {
                    let isLost = Self.losses.contains { message.isError($0) }
                    events.append(.failed(token, isCertain: !isLost))
                }
            }
        }

        private func handleSignal(_ message: BusMessage) throws {
            let sender = message.sender
            if sender == Self.busName {
                guard message.isSignal("NameOwnerChanged", of: Self.busName),
                    try message.readText() == Self.name
                else { return }
                _ = try message.readText()
                let name = try message.readText()
                owner = name.isEmpty ? nil : name
                capabilities = nil
                if owner != nil {
                    capabilityCall = nil
                    events.append(.appeared)
                }
                return
            }
            // A match rule does not stop signals that another process sends directly to this
            // connection.
            guard sender == owner else { return }
            if message.isSignal("ActionInvoked", of: Self.name) {
                let id = try message.readNumber()
                events.append(.action(try message.readText(), id: id))
            } else if message.isSignal("NotificationClosed", of: Self.name) {
                events.append(.closed(id: try message.readNumber()))
            }
        }
    }
#endif
