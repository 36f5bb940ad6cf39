#if os(Linux)
    internal import Platform

    /// A prompt object of a client. It completes when the vault is unlocked.
    struct UnlockPrompt {
        let client: String
        /// The paths that the client wants to unlock.
        let paths: [String]
        /// The size of the paths in bytes.
        let size: Int
        /// Whether the client has called `Prompt`.
        var isOpen = false
    }

    /// A call that waits for the unlocked vault.
    struct PendingCall {
        let call: BusMessage
        let client: String
        /// The size of the call's values in bytes.
        let size: Int
        let deadline: MonotonicTime
    }

    // Calls and prompts wait for the vault. An unlock from any terminal ends the wait. A prompt has
    // no time limit: a browser that is told of none loses its key, and with it all cookies.
    extension SecretService {
        /// The time limit of a call. Clients give up after 25 seconds.
        static let callTimeout: Duration = .seconds(20)
        /// The time after a cancelled question in which its programs cause no other one.
        static let cancelPause: Duration = .seconds(60)
        /// The interval of checks of the vault while a call or prompt waits.
        private static let pollInterval: Duration = .milliseconds(200)

        /// The latest time at which to call ``tick()``.
        var deadline: MonotonicTime { nextCheck }

        func wait(_ call: BusMessage, until deadline: MonotonicTime) throws {
            let client = call.sender
            guard let size = try? call.size(upTo: Self.sizeLimits.perClient),
                hasRoom(for: size, of: client)
            else { return try refuse(call, .isLocked) }
            try addClient(client)
            pendingCalls.append(
                PendingCall(call: call, client: client, size: size, deadline: deadline))
            try ask(for: client)
        }

        /// Whether one more call or prompt of this size can wait.
        private func hasRoom(for size: Int, of client: String) -> Bool {
            let waiting =
                pendingCalls.map { ($0.client, $0.size) }
                + prompts.values.map { ($0.client, $0.size) }
            let own = waiting.filter { $0.0 == client }
            return waiting.count < Self.callLimits.total && own.count < Self.callLimits.perClient
                && waiting.reduce(size) { $0 + $1.1 } <= Self.sizeLimits.total
                && own.reduce(size) { $0 + $1.1 } <= Self.sizeLimits.perClient
        }

        func unlock(_ paths: [String], _ call: BusMessage) throws {
            let paths = paths.filter { Self.collection(of: $0) != nil }
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked else { throw error }
            }
            guard isLocked, !paths.isEmpty else {
                if paths.contains(where: { Self.collection(of: $0) == .session }) {
                    try setSessionLocked(false)
                }
                return try bus.reply(call) {
                    try $0.append(paths: paths)
                    try $0.append(path: "/")
                }
            }
            let client = call.sender
            let size = paths.reduce(0) { $0 + $1.utf8.count + 64 }
            guard hasRoom(for: size, of: client) else {
                throw BusError.limitExceeded("too many prompts")
            }
            try addClient(client)
            let path = SecretObject.root + "/prompt/p\(newNumber())"
            prompts[path] = UnlockPrompt(client: client, paths: paths, size: size)
            try bus.reply(call) {
                try $0.append(paths: [])
                try $0.append(path: path)
            }
        }

        func callPrompt(_ member: String, at path: String, _ call: BusMessage) throws {
            let client = call.sender
            guard prompts[path]?.client == client else { throw BusError.noSuchObject }
            switch member {
            case "Prompt" where call.hasSignature("s"):
                prompts[path]?.isOpen = true
                try bus.reply(call)
                try ask(for: client)
                // The vault may be unlocked already.
                nextCheck = now()
            case "Dismiss" where call.hasSignature(""):
                try bus.reply(call)
                try complete(path, isDismissed: true)
                endWaitIfIdle()
            default: throw BusError.unknownMethod
            }
        }

        /// Completes a prompt, and signals only its client.
        private func complete(_ path: String, isDismissed: Bool) throws {
            guard let prompt = prompts.removeValue(forKey: path) else { return }
            try bus.signal(
                "Completed", of: Self.interface("Prompt"), at: path, to: prompt.client
            ) { message in
                try message.append(isDismissed)
                try message.append(variant: "ao") {
                    try message.append(paths: isDismissed ? [] : prompt.paths)
                }
            }
        }

        /// Opens the passphrase dialog if it is not open. After a cancelled question the client's
        /// waits end instead.
        func ask(for client: String) throws {
            let isWaiting =
                pendingCalls.contains { $0.client == client }
                || prompts.values.contains { $0.client == client && $0.isOpen }
            guard isWaiting else { return }
            nextCheck = min(nextCheck, now() + Self.pollInterval)
            // The bus names the process soon. This is called again then.
            guard clients[client]?.process != nil else { return }
            let program = name(of: client)
            if let end = pauses[program], now() < end {
                try endWaits { $0 == client }
            } else {
                dialog.open(for: program)
            }
        }

        private func name(of client: String) -> String { clients[client]?.program ?? "a program" }

        /// Refuses the waiting calls, and dismisses the open prompts, of some clients.
        private func endWaits(
            _ error: BusError = .isLocked, _ isAffected: (String) -> Bool
        ) throws {
            let calls = pendingCalls.filter { isAffected($0.client) }
            pendingCalls.removeAll { isAffected($0.client) }
            for pending in calls { try refuse(pending.call, error) }
            for path in openPrompts where prompts[path].map({ isAffected($0.client) }) == true {
                try complete(path, isDismissed: true)
            }
        }

        /// The paths of the open prompts.
        private var openPrompts: [String] { prompts.filter(\.value.isOpen).map(\.key).sorted() }

        /// Checks the vault, answers waiting calls, and ends those over their time limit.
        func tick() throws {
            try emitCollections()
            let outcome = dialog.takeOutcome()
            guard outcome != nil || nextCheck <= now() else { return }
            let open = openPrompts
            guard !pendingCalls.isEmpty || !open.isEmpty else {
                nextCheck = .never
                return
            }
            do {
                try applyAccess()
            } catch {
                // Nothing to wait for: programs may use nothing, or the vault is gone.
                try endWaits(BusError(error)) { _ in true }
                return endWaitIfIdle()
            }
            if case .impossible? = outcome { try requestUnlock() }
            try? refresh()
            if !isLocked {
                let calls = pendingCalls
                pendingCalls = []
                for path in open { try complete(path, isDismissed: false) }
                for pending in calls { try respond(pending.call, until: pending.deadline) }
            } else {
                let time = now()
                if case .cancelled? = outcome {
                    let waiting =
                        pendingCalls.map(\.client) + open.compactMap { prompts[$0]?.client }
                    pauses = pauses.filter { time < $0.value }
                    for client in waiting { pauses[name(of: client)] = time + Self.cancelPause }
                    try endWaits { _ in true }
                }
                let over = pendingCalls.filter { $0.deadline <= time }
                pendingCalls.removeAll { $0.deadline <= time }
                for pending in over { try refuse(pending.call, .isLocked) }
            }
            nextCheck = now() + Self.pollInterval
            endWaitIfIdle()
        }

        /// Closes the dialog and the notification when no call or prompt waits.
        func endWaitIfIdle() {
            guard pendingCalls.isEmpty, openPrompts.isEmpty else { return }
            nextCheck = .never
            dialog.cancel()
            closeNotification()
        }
    }
#endif
