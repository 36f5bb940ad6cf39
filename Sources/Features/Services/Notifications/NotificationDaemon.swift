#if os(Linux)
    internal import Platform

    /// The desktop's notification daemon, asked over the session bus (Desktop Notifications Specification 1.2). No call waits.
    ///
    /// Not thread-safe. Only signals of the connection that owns the daemon's name count.
    final class NotificationDaemon {
        /// An answer or a signal of the daemon.
        enum Event: Sendable, Hashable {
            /// A daemon has started. Notifications of an earlier one are gone.
            case appeared
            /// The answer to ``prepare()``: ``post(_:token:)`` works now, or there is no daemon.
            case ready, missing
            /// A notification is shown, under the daemon's number.
            case shown(UInt64, id: UInt32)
            /// A notification could not be shown: the daemon refused, or it ended without an answer and may have shown it.
            case failed(UInt64, isCertain: Bool)
            /// The person chose an action.
            case action(String, id: UInt32)
            /// A notification is gone.
            case closed(id: UInt32)
        }

        private enum Call {
            case owner, capabilities, notification(UInt64), other
        }

        private static let name = "org.freedesktop.Notifications"
        private static let path = "/org/freedesktop/Notifications"
        private static let busName = "org.freedesktop.DBus"
        private static let busPath = "/org/freedesktop/DBus"

        /// Errors after which nothing tells whether the call arrived.
        private static let losses = ["NoReply", "Timeout", "TimedOut", "Disconnected"].map {
            "org.freedesktop.DBus.Error." + $0
        }

        private let bus: SessionBus
        private var calls: [UInt64: Call] = [:]
        private var events: [Event] = []
        /// The unique name of the daemon's connection.
        private var owner: String?
        private var capabilities: Set<String>?
        /// The call that asks for them.
        private var question: UInt64?

        /// Looks for the daemon. A missing one is not started before there is something to show.
        init(_ bus: SessionBus) throws {
            self.bus = bus
            // The rules precede the query, so that no change of the owner is missed.
            for rule in [
                "type='signal',sender='\(Self.busName)',interface='\(Self.busName)',"
                    + "member='NameOwnerChanged',arg0='\(Self.name)'",
                "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'",
            ] {
                try callBus("AddMatch", rule, .other)
            }
            try callBus("GetNameOwner", Self.name, .owner)
        }

        /// Whether a daemon is running, as far as is known.
        var isRunning: Bool { owner != nil }

        /// Whether its capabilities are known, on which texts depend.
        var isReady: Bool { capabilities != nil }

        /// The request for `poll`.
        var request: pollfd { bus.request }

        /// When ``next()`` is to be called at the latest; at once if an event waits.
        var deadline: MonotonicTime {
            events.isEmpty ? bus.deadline : MonotonicTime(nanoseconds: 0)
        }

        /// Asks for the capabilities of a daemon, which starts one that the bus knows. The answer is an event.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func prepare() throws {
            guard capabilities == nil, question == nil else { return }
            let call = try bus.call(
                "GetCapabilities", of: Self.name, at: Self.path, to: Self.name)
            calls[call] = .capabilities
            question = call
        }

        /// Shows a notification, if the capabilities are known. The answer is an event with the token.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func post(_ notification: Notification, token: UInt64) throws {
            guard let capabilities else { return }
            let number = try bus.call("Notify", of: Self.name, at: Self.path, to: Self.name) {
                try $0.append("TaskVault")
                try $0.append(UInt32(0))
                try $0.append("")
                try $0.append(notification.title)
                try $0.append(notification.body(for: capabilities))
                try $0.append(notification.actionWords(for: capabilities))
                let message = $0
                try message.append(BusMessage.array, of: "{sv}") {
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("urgency")
                        try message.append(BusMessage.variant, of: "y") {
                            try message.append(UInt8(1))
                        }
                    }
                }
                // It stays until the person acts: a reminder is for those who are away, too.
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
            // Limited, because an endless sender would keep the caller here. The deadline tells that there is more.
            for _ in 0..<64 where events.isEmpty {
                guard let message = try bus.next() else { return nil }
                if let number = message.answeredCall {
                    guard let call = calls.removeValue(forKey: number) else { continue }
                    try takeAnswer(message, of: call, number)
                } else {
                    // A malformed signal is that of a faulty program, and changes nothing.
                    try? takeSignal(message)
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

        private func takeAnswer(
            _ message: BusMessage, of call: Call, _ number: UInt64
        ) throws {
            switch call {
            case .other: break
            case .owner: owner = message.isError ? nil : try? message.readText()
            case .capabilities:
                // An earlier daemon's answer does not count.
                guard number == question else { return }
                question = nil
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

        private func takeSignal(_ message: BusMessage) throws {
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
                    question = nil
                    events.append(.appeared)
                }
                return
            }
            // Any process may send a signal directly to this connection, despite the match rules.
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
