#if os(Linux)
    internal import Platform

    /// A connection that has something open here.
    struct BusClient {
        /// The rule by which the bus tells of its end.
        let rule: String
        /// Its process; nil until the bus has answered.
        var process: Int32?
        /// The name of its process; nil until the bus has answered.
        var program: String?
        /// Whether it has read a secret.
        var hasRead = false
        /// Whether its first read is still to be announced.
        var isUnannounced = false
    }

    // The name, the clients, and notifications.
    extension SecretService {
        /// The name of the service.
        static let name = "org.freedesktop.secrets"
        private static let busName = "org.freedesktop.DBus"
        private static let notifications = "org.freedesktop.Notifications"
        /// `DBUS_NAME_FLAG_DO_NOT_QUEUE`, and `DBUS_NAME_FLAG_REPLACE_EXISTING`.
        private static let flags: (alone: UInt32, replacing: UInt32) = (4, 2)

        /// Follows the owner of the name, then asks for it.
        func begin() throws {
            try callBus("AddMatch") { try $0.append(Self.rule(of: Self.name)) }
            try requestName()
        }

        private static func rule(of name: String) -> String {
            "type='signal',sender='\(busName)',interface='\(busName)',"
                + "member='NameOwnerChanged',arg0='\(name)'"
        }

        private func requestName() throws {
            let flags = Self.flags.alone | (replaces ? Self.flags.replacing : 0)
            try callBus("RequestName") {
                try $0.append(Self.name)
                try $0.append(flags)
            } answer: { [unowned self] reply in
                // 1: it is ours now; 4: it was ours already.
                isOwner = try !reply.isError && [1, 4].contains(reply.readNumber())
                if !isOwner { try reportOwner() }
            }
        }

        /// Says which program has the name.
        private func reportOwner() throws {
            try callBus("GetConnectionUnixProcessID") {
                try $0.append(Self.name)
            } answer: { [unowned self] reply in
                // It has ended meanwhile: the bus tells that, too.
                guard !reply.isError else { return }
                let process = Int32(clamping: try reply.readNumber())
                let program = ReminderText.cut(PeerUser.program(process) ?? "a program")
                vault.report(
                    "\(program), process \(process), already serves secrets on this bus",
                    hint: replaces
                        ? "it cannot be replaced: end it, and start taskvault-services again"
                        : "taskvault-services run --replace, or: taskvault settings set services-secrets off"
                )
            }
        }

        func takeSignal(_ message: BusMessage) throws {
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
                try forget(name)
            }
        }

        /// Follows a client, which may end at any time.
        func track(_ client: String) throws {
            guard clients[client] == nil else { return }
            let rule = Self.rule(of: client)
            clients[client] = BusClient(rule: rule)
            try callBus("AddMatch") { try $0.append(rule) }
            try callBus("GetConnectionUnixProcessID") {
                try $0.append(client)
            } answer: { [unowned self] reply in
                // It ended before the rule was there.
                guard !reply.isError else { return try forget(client) }
                let process = Int32(clamping: try reply.readNumber())
                clients[client]?.process = process
                clients[client]?.program = PeerUser.program(process).map(ReminderText.cut)
                if clients[client]?.isUnannounced == true, admit(client) { announce(client) }
            }
        }

        /// Drops all that a client has open.
        private func forget(_ client: String) throws {
            guard let last = clients.removeValue(forKey: client) else { return }
            sessions = sessions.filter { $0.value.client != client }
            prompts = prompts.filter { $0.value.client != client }
            waiting.removeAll { $0.client == client }
            try callBus("RemoveMatch") { try $0.append(last.rule) }
            endWaitIfDone()
        }

        /// Notes that a client is about to read a secret.
        ///
        /// - Returns: Whether its program does so for the first time.
        func admit(_ client: String) -> Bool {
            guard let known = clients[client], !known.hasRead else { return false }
            guard let reader = reader(client) else {
                clients[client]?.isUnannounced = true
                return false
            }
            clients[client]?.hasRead = true
            clients[client]?.isUnannounced = false
            return vault.note(reader)
        }

        /// The program of a client; nil until the bus has told it.
        func reader(_ client: String) -> SecretReader? {
            guard let known = clients[client], let process = known.process else { return nil }
            return SecretReader(program: known.program ?? "a program", process: process)
        }

        /// Tells the person that a program has read a secret for the first time.
        func announce(_ client: String) {
            guard let reader = reader(client) else { return }
            // A desktop without notifications shows none.
            try? notify(
                "\(reader.program) read a secret",
                "Process \(reader.process), for the first time on this machine.")
        }

        /// Asks the person by a notification to unlock the vault.
        func askByNotification() throws {
            guard notice == nil else { return }
            let first = waiting.first?.client ?? prompts.values.first { $0.deadline != nil }?.client
            let program = first.flatMap { clients[$0]?.program } ?? "A program"
            notice = 0
            try notify("\(program) waits for the vault", "taskvault unlock") { [unowned self] id in
                if notice == nil { return try close(id) }
                notice = id
            }
        }

        func closeNotification() {
            if let notice, notice > 0 { try? close(notice) }
            notice = nil
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
                // Some daemons read markup in a title, too.
                try message.append(title.filter { !"<>&".contains($0) })
                try message.append(body)
                try message.append([])
                try message.append(BusMessage.array, of: "{sv}") {}
                try message.append(Int32(-1))
            }
            answers[number] = { reply in
                if !reply.isError { try then(try reply.readNumber()) }
            }
        }

        private func callBus(
            _ member: String, _ write: (BusMessage) throws -> Void,
            answer: ((BusMessage) throws -> Void)? = nil
        ) throws {
            let number = try bus.call(
                member, of: Self.busName, at: "/org/freedesktop/DBus", to: Self.busName, write)
            answers[number] = answer
        }
    }
#endif
