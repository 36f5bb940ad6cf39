#if os(Linux)
    internal import Platform

    /// A D-Bus client with an open session, prompt or call.
    struct BusClient {
        /// The match rule for the end of the client's connection.
        let rule: String
        /// The process id; nil until the bus has replied.
        var process: Int32?
        /// The sandboxed application, or the process name; nil until the bus has replied.
        var program: String?
        /// Whether ``program`` is a sandboxed application.
        var isSandboxed = false
        /// Whether the client has read a secret.
        var hasRead = false
        /// Whether the first read must be announced once the process is known.
        var needsAnnouncement = false
    }

    // The bus name, the clients, and notifications.
    extension SecretService {
        /// The bus name of the service.
        static let name = "org.freedesktop.secrets"
        private static let busName = "org.freedesktop.DBus"
        private static let notifications = "org.freedesktop.Notifications"
        /// `DBUS_NAME_FLAG_DO_NOT_QUEUE`, and `DBUS_NAME_FLAG_REPLACE_EXISTING`.
        private static let flags: (alone: UInt32, replacing: UInt32) = (4, 2)

        /// Watches the owner of the bus name, and requests the name.
        func begin() throws {
            try callBus("AddMatch") { try $0.append(Self.rule(of: Self.name)) }
            try requestName()
        }

        private static func rule(of name: String) -> String {
            "type='signal',sender='\(busName)',interface='\(busName)',"
                + "member='NameOwnerChanged',arg0='\(name)'"
        }

        private func requestName() throws {
            let flags = Self.flags.alone | (replacesOwner ? Self.flags.replacing : 0)
            try callBus("RequestName") {
                try $0.append(Self.name)
                try $0.append(flags)
            } answer: { [unowned self] reply in
                // The replies 1 (primary owner) and 4 (already owner).
                isOwner = try !reply.isError && [1, 4].contains(reply.readNumber())
                if !isOwner { try reportOwner() }
            }
        }

        /// Reports which program owns the bus name.
        private func reportOwner() throws {
            try callBus("GetConnectionUnixProcessID") {
                try $0.append(Self.name)
            } answer: { [unowned self] reply in
                // An error means that the program with this name has ended. The signal NameOwnerChanged follows.
                guard !reply.isError else { return }
                let process = Int32(clamping: try reply.readNumber())
                let program = ReminderText.cut(PeerUser.program(process) ?? "a program")
                vault.report(
                    "\(program), process \(process), already serves secrets on this bus",
                    hint: replacesOwner
                        ? "it cannot be replaced: end it, and start taskvault services again"
                        : "taskvault services --replace, or: taskvault settings set services-secrets off"
                )
            }
        }

        func handleSignal(_ message: BusMessage) throws {
            guard message.sender == Self.busName,
                message.isSignal("NameOwnerChanged", of: Self.busName)
            else { return }
            let name = try message.readText()
            _ = try message.readText()
            let owner = try message.readText()
            if name == Self.name {
                if owner.isEmpty {
                    try requestName()
                } else if isOwner, owner != bus.uniqueName {
                    isOwner = false
                    try reportOwner()
                }
            } else if owner.isEmpty {
                try removeClient(name)
            }
        }

        /// Tracks a client until its connection ends.
        func addClient(_ client: String) throws {
            guard clients[client] == nil else { return }
            let rule = Self.rule(of: client)
            clients[client] = BusClient(rule: rule)
            try callBus("AddMatch") { try $0.append(rule) }
            try callBus("GetConnectionUnixProcessID") {
                try $0.append(client)
            } answer: { [unowned self] reply in
                // The connection ended before the match rule was active.
                guard !reply.isError else { return try removeClient(client) }
                let process = Int32(clamping: try reply.readNumber())
                clients[client]?.process = process
                let application = PeerUser.sandboxedApplication(process)
                clients[client]?.isSandboxed = application != nil
                clients[client]?.program =
                    (application ?? PeerUser.program(process)).map(ReminderText.cut)
                if clients[client]?.needsAnnouncement == true, registerRead(client) {
                    announce(client)
                }
                try ask(for: client)
            }
        }

        /// Removes a client with its sessions, prompts and calls.
        private func removeClient(_ client: String) throws {
            guard let last = clients.removeValue(forKey: client) else { return }
            sessions = sessions.filter { $0.value.client != client }
            prompts = prompts.filter { $0.value.client != client }
            pendingCalls.removeAll { $0.client == client }
            searches = searches.filter { $0.value.client != client }
            try callBus("RemoveMatch") { try $0.append(last.rule) }
            endWaitIfIdle()
        }

        /// Records that a client is about to read a secret.
        ///
        /// - Returns: Whether the client's program reads a secret for the first time.
        func registerRead(_ client: String) -> Bool {
            guard let known = clients[client], !known.hasRead else { return false }
            guard let reader = reader(client) else {
                clients[client]?.needsAnnouncement = true
                return false
            }
            clients[client]?.hasRead = true
            clients[client]?.needsAnnouncement = false
            return vault.registerReader(reader)
        }

        /// The program of a client; nil until the bus has named the process.
        func reader(_ client: String) -> SecretReader? {
            guard let known = clients[client], let process = known.process else { return nil }
            return SecretReader(
                program: known.program ?? "a program", isSandboxed: known.isSandboxed,
                process: process)
        }

        /// Notifies the user that a program has read a secret for the first time.
        func announce(_ client: String) {
            guard let reader = reader(client) else { return }
            // The desktop may have no notification daemon.
            try? notify(
                "\(reader.program) read a secret",
                "Process \(reader.process), for the first time on this machine.")
        }

        /// Shows a notification that asks the user to unlock the vault.
        func requestUnlock() throws {
            guard unlockNotification == nil else { return }
            let first =
                pendingCalls.first?.client ?? prompts.values.first(where: \.isOpen)?.client
            let program = first.flatMap { clients[$0]?.program } ?? "A program"
            unlockNotification = 0
            try notify("\(program) waits for the vault", "taskvault unlock") { [unowned self] id in
                if unlockNotification == nil { return try close(id) }
                unlockNotification = id
            }
        }

        func closeNotification() {
            if let unlockNotification, unlockNotification > 0 { try? close(unlockNotification) }
            unlockNotification = nil
        }

        private func close(_ id: UInt32) throws {
            let path = "/org/freedesktop/Notifications"
            _ = try bus.call(
                "CloseNotification", of: Self.notifications, at: path, to: Self.notifications
            ) { try $0.append(id) }
        }

        private func notify(
            _ title: String, _ body: String, _ then: @escaping (UInt32) throws -> Void = { _ in }
        ) throws {
            let number = try bus.call(
                "Notify", of: Self.notifications, at: "/org/freedesktop/Notifications",
                to: Self.notifications
            ) { message in
                try message.append("TaskVault")
                try message.append(UInt32(0))
                try message.append("")
                try message.append(Notification.withoutMarkup(title))
                try message.append(body)
                try message.append([])
                try message.append(BusMessage.array, of: "{sv}") {}
                try message.append(Int32(-1))
            }
            replyHandlers[number] = { reply in
                if !reply.isError { try then(try reply.readNumber()) }
            }
        }

        private func callBus(
            _ member: String, _ write: (BusMessage) throws -> Void,
            answer: ((BusMessage) throws -> Void)? = nil
        ) throws {
            let number = try bus.call(
                member, of: Self.busName, at: "/org/freedesktop/DBus", to: Self.busName, write)
            replyHandlers[number] = answer
        }
    }
#endif
