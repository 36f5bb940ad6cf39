#if os(Linux)
    internal import Platform

    /// A prompt of a client, which unlocks the vault.
    struct UnlockPrompt {
        let client: String
        /// What the client wants to be unlocked.
        let paths: [String]
        /// When it ends; nil until the client asks for it.
        var deadline: MonotonicTime?
    }

    /// A call that waits for the vault.
    struct WaitingCall {
        let call: BusMessage
        let client: String
        let deadline: MonotonicTime
    }

    // Waiting for the vault. An `unlock` at any terminal ends every wait.
    extension SecretService {
        /// How long a method waits: clients give up after 25 seconds.
        static let patience: Duration = .seconds(20)
        /// How long a prompt waits.
        static let promptTime: Duration = .seconds(60)
        /// How often the vault is looked at while something waits.
        private static let pause: Duration = .milliseconds(200)

        /// When ``tick()`` is to be called at the latest.
        var deadline: MonotonicTime { nextLook }

        func wait(_ call: BusMessage, until deadline: MonotonicTime) throws {
            let client = call.sender
            guard waiting.count < Self.mostWaiting.together,
                waiting.count(where: { $0.client == client }) < Self.mostWaiting.ofClient
            else { return try refuse(call, .isLocked) }
            try track(client)
            waiting.append(WaitingCall(call: call, client: client, deadline: deadline))
            try ask(for: client)
        }

        func unlock(_ paths: [String], _ call: BusMessage) throws {
            let paths = paths.filter { SecretObject(path: $0)?.isLockable == true }
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked else { throw error }
            }
            guard isLocked, !paths.isEmpty else {
                return try bus.answer(call) {
                    try $0.append(paths: paths)
                    try $0.append(path: "/")
                }
            }
            let client = call.sender
            guard prompts.count < Self.mostWaiting.together,
                prompts.values.count(where: { $0.client == client })
                    < Self.mostWaiting.ofClient
            else { throw BusError.tooMuch("too many prompts") }
            try track(client)
            let path = SecretObject.root + "/prompt/p\(newNumber())"
            prompts[path] = UnlockPrompt(client: client, paths: paths)
            try bus.answer(call) {
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
            case "Prompt" where call.has(types: "s"):
                prompts[path]?.deadline = prompt.deadline ?? now() + Self.promptTime
                try bus.answer(call)
                try ask(for: client)
                // It may be unlocked already.
                nextLook = now()
            case "Dismiss" where call.has(types: ""):
                try bus.answer(call)
                try complete(path, isDismissed: true)
                endWaitIfDone()
            default: throw BusError.unknownMethod
            }
        }

        /// Ends a prompt, and says so to its client alone.
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

        /// Asks the person, if that is not being done.
        private func ask(for client: String) throws {
            nextLook = min(nextLook, now() + Self.pause)
            question.begin(for: clients[client]?.program ?? "a program")
        }

        /// Looks whether the vault is unlocked, and ends what waits too long.
        func tick() throws {
            let ending = question.take()
            guard ending != nil || nextLook <= now() else { return }
            let asked = prompts.filter { $0.value.deadline != nil }.map(\.key).sorted()
            guard !waiting.isEmpty || !asked.isEmpty else {
                nextLook = .never
                return
            }
            if case .impossible? = ending { try askByNotification() }
            try? refresh()
            if !isLocked {
                let calls = waiting
                waiting = []
                for path in asked { try complete(path, isDismissed: false) }
                for waiting in calls { try respond(waiting.call, until: waiting.deadline) }
            } else {
                var isCancelled = false
                if case .cancelled? = ending { isCancelled = true }
                let time = now()
                let over = waiting.filter { isCancelled || $0.deadline <= time }
                waiting.removeAll { isCancelled || $0.deadline <= time }
                for waiting in over { try refuse(waiting.call, .isLocked) }
                for path in asked where isCancelled || prompts[path]?.deadline ?? .never <= time {
                    try complete(path, isDismissed: true)
                }
            }
            nextLook = now() + Self.pause
            endWaitIfDone()
        }

        /// Takes the question back when nothing waits any more.
        func endWaitIfDone() {
            guard waiting.isEmpty, !prompts.values.contains(where: { $0.deadline != nil }) else {
                return
            }
            nextLook = .never
            question.end()
            closeNotification()
        }
    }
#endif
