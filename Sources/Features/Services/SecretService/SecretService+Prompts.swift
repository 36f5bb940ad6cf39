#if os(Linux)
    internal import Platform

    /// A prompt object of a client. It completes when the vault is unlocked.
    struct UnlockPrompt {
        let client: String
        /// The paths that the client wants to unlock.
        let paths: [String]
        /// The size of the paths in bytes.
        let size: Int
        /// The time limit; nil until the client calls `Prompt`.
        var deadline: MonotonicTime?
    }

    /// A call that waits for the unlocked vault.
    struct PendingCall {
        let call: BusMessage
        let client: String
        /// The size of the call's values in bytes.
        let size: Int
        let deadline: MonotonicTime
    }

    // Calls and prompts wait for the vault. An unlock from any terminal ends the wait.
    extension SecretService {
        /// The time limit of a call. Clients give up after 25 seconds.
        static let callTimeout: Duration = .seconds(20)
        /// The time limit of a prompt.
        static let promptTimeout: Duration = .seconds(60)
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
            let paths = paths.filter { SecretObject(path: $0)?.isLockable == true }
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked else { throw error }
            }
            guard isLocked, !paths.isEmpty else {
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
            guard let prompt = prompts[path], prompt.client == client else {
                throw BusError.noSuchObject
            }
            switch member {
            case "Prompt" where call.hasSignature("s"):
                prompts[path]?.deadline = prompt.deadline ?? now() + Self.promptTimeout
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

        /// Opens the passphrase dialog if it is not open.
        private func ask(for client: String) throws {
            nextCheck = min(nextCheck, now() + Self.pollInterval)
            dialog.open(for: clients[client]?.program ?? "a program")
        }

        /// Checks the vault, answers waiting calls, and ends those over their time limit.
        func tick() throws {
            try emitCollections()
            let outcome = dialog.takeOutcome()
            guard outcome != nil || nextCheck <= now() else { return }
            let openPrompts = prompts.filter { $0.value.deadline != nil }.map(\.key).sorted()
            guard !pendingCalls.isEmpty || !openPrompts.isEmpty else {
                nextCheck = .never
                return
            }
            if case .impossible? = outcome { try requestUnlock() }
            try? refresh()
            if !isLocked {
                let calls = pendingCalls
                pendingCalls = []
                for path in openPrompts { try complete(path, isDismissed: false) }
                for pending in calls { try respond(pending.call, until: pending.deadline) }
            } else {
                var isCancelled = false
                if case .cancelled? = outcome { isCancelled = true }
                let time = now()
                let over = pendingCalls.filter { isCancelled || $0.deadline <= time }
                pendingCalls.removeAll { isCancelled || $0.deadline <= time }
                for pending in over { try refuse(pending.call, .isLocked) }
                for path in openPrompts
                where isCancelled || prompts[path]?.deadline ?? .never <= time {
                    try complete(path, isDismissed: true)
                }
            }
            nextCheck = now() + Self.pollInterval
            endWaitIfIdle()
        }

        /// Closes the dialog and the notification when no call or prompt waits.
        func endWaitIfIdle() {
            guard pendingCalls.isEmpty, !prompts.values.contains(where: { $0.deadline != nil })
            else {
                return
            }
            nextCheck = .never
            dialog.cancel()
            closeNotification()
        }
    }
#endif
