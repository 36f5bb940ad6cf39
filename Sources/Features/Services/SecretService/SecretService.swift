#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import SecureStorage

    /// The Secret Service of freedesktop.org (version 0.2) on a session bus. Not thread-safe.
    ///
    /// A method that needs the unlocked vault waits for it, 20 seconds at most.
    final class SecretService {
        /// The largest numbers of what one client, and all together, may have open.
        static let mostSessions = (ofClient: 1_024, together: 4_096)
        static let mostWaiting = (ofClient: 64, together: 512)
        /// The largest values that one answer holds together, in bytes.
        private static let mostBytes = 16 * 1_048_576

        let bus: SessionBus
        let vault: any ProgramVault
        let question: UnlockQuestion
        /// The clock of deadlines; tests replace it.
        let now: @Sendable () -> MonotonicTime
        var index: AttributeIndex
        /// The generation that the index is of; nil while locked, and if the index is stale.
        private var known: ProgramVaultGeneration?
        /// Whether the vault was unlocked once since the start.
        var isIndexed = false
        var isLocked = true
        var sessions: [String: TransportSession] = [:]
        var clients: [String: BusClient] = [:]
        var prompts: [String: UnlockPrompt] = [:]
        var waiting: [WaitingCall] = []
        var answers: [UInt64: (BusMessage) throws -> Void] = [:]
        var lastNumber: UInt64 = 0
        var nextLook: MonotonicTime = .never
        var isOwner = false
        /// The notification that asks for an unlock; 0 until the daemon has answered.
        var notice: UInt32?
        /// Whether the name is taken from another program.
        let replaces: Bool

        /// Makes the service, and asks for its name.
        init(
            _ bus: SessionBus, _ vault: any ProgramVault, replacing replaces: Bool = false,
            asking ask: @escaping UnlockQuestion.Ask = UnlockQuestion.pinentry,
            now: @escaping @Sendable () -> MonotonicTime = { .now }
        ) throws {
            self.bus = bus
            self.vault = vault
            self.replaces = replaces
            self.now = now
            index = try AttributeIndex()
            question = try UnlockQuestion(vault, ask)
            try begin()
            // The vault may be unlocked already; then its index is there before it locks.
            try? refresh()
        }

        /// Handles a message of the bus.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func take(_ message: BusMessage) throws {
            if let number = message.answeredCall {
                do {
                    try answers.removeValue(forKey: number)?(message)
                } catch let failure as SystemFailure where failure.call == "sd_bus_message" {
                    // A malformed answer is none.
                }
            } else if message.isCall {
                try respond(message, until: now() + Self.patience)
            } else {
                // A malformed signal is that of a faulty program, and changes nothing.
                try? takeSignal(message)
            }
        }

        /// Answers a call, or lets it wait for the vault.
        func respond(_ call: BusMessage, until deadline: MonotonicTime) throws {
            do {
                if let refusal = vault.refusal { throw BusError.unsupported(refusal) }
                try call.rewind()
                try dispatch(call)
            } catch {
                // Others are of the vault, and end no connection.
                if let failure = error as? SystemFailure, failure.call.hasPrefix("sd_bus") {
                    guard failure.call.hasPrefix("sd_bus_message") else { throw failure }
                    return try refuse(call, .invalid("malformed arguments"))
                }
                let refusal = BusError(error)
                if refusal == .isLocked, now() < deadline {
                    return try wait(call, until: deadline)
                }
                try refuse(call, refusal)
            }
        }

        func refuse(_ call: BusMessage, _ error: BusError) throws {
            try bus.refuse(call, error.name, error.text)
        }

        private func dispatch(_ call: BusMessage) throws {
            let (path, interface, member) = call.target
            if interface == "org.freedesktop.DBus.Introspectable" {
                return try bus.answer(call) { try $0.append(Introspection.text(of: path)) }
            }
            guard let object = SecretObject(path: path) else { throw BusError.noSuchObject }
            if interface == "org.freedesktop.DBus.Properties" {
                return try callProperties(member, of: object, call)
            }
            switch object {
            case .service:
                try Self.check(interface, "Service")
                try callService(member, call)
            case .collection(let collection):
                try Self.check(interface, "Collection")
                try callCollection(member, of: collection, call)
            case .item(let id):
                try Self.check(interface, "Item")
                try callItem(member, of: id, call)
            case .session(let path):
                try Self.check(interface, "Session")
                _ = try session(path, of: call.sender)
                guard member == "Close", call.has(types: "") else { throw BusError.unknownMethod }
                sessions[path] = nil
                try bus.answer(call)
            case .prompt(let path):
                try Self.check(interface, "Prompt")
                try callPrompt(member, at: path, call)
            }
        }

        private static func check(_ interface: String, _ name: String) throws {
            guard interface.isEmpty || interface == Self.interface(name) else {
                throw BusError.unknownMethod
            }
        }

        static func interface(_ name: String) -> String { "org.freedesktop.Secret." + name }

        /// A number for a new path.
        func newNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    // What is known of the vault.
    extension SecretService {
        /// Brings the index up to date.
        ///
        /// - Throws: `locked`; why the vault cannot be read.
        func refresh() throws {
            do {
                let generation = try vault.generation()
                if generation != known {
                    try rebuild()
                    known = generation
                }
            } catch {
                if BusError(error) == .isLocked { try note(locked: true) }
                throw error
            }
            try note(locked: false)
        }

        private func rebuild() throws {
            let items = try vault.secrets().list()
            let vaultID = try vault.vaultID()
            index.removeAll()
            for item in items where item.name.isStandardField {
                let place = SecretCollection.allCases.first {
                    $0.service.utf8.elementsEqual(item.name.service.utf8)
                }
                guard let place, let id = SecretItemID(item.name.account, in: place), !id.isOwners
                else { continue }
                index.set(id, ProgramSecret.attributes(of: item), modified: item.modified)
            }
            for entry in Self.exported(items) {
                index.set(
                    SecretItemID(ofEntry: entry.name, vaultID),
                    ProgramSecret.attributes(ofEntry: entry.name), modified: entry.modified)
            }
            isIndexed = true
        }

        /// The owner's entries that other programs may read.
        private static func exported(_ items: [SecretItem]) -> [SecretEntry] {
            SecretEntry.entries(of: items.filter { !$0.name.isReserved }).filter {
                $0.accessClass == .whileUnlocked && $0.name.isStandardField
            }
        }

        /// The items of entries of the owner that exist; the vault is listed once.
        private func entries(_ ids: Set<SecretItemID>) throws -> [SecretItemID: SecretItem] {
            if ids.isEmpty { return [:] }
            let vaultID = try vault.vaultID()
            var found: [SecretItemID: SecretItem] = [:]
            for entry in Self.exported(try vault.secrets().list()) {
                let id = SecretItemID(ofEntry: entry.name, vaultID)
                guard ids.contains(id) else { continue }
                found[id] = entry.fields.first
                if found.count == ids.count { break }
            }
            return found
        }

        /// Describes an item of the unlocked vault.
        func describe(_ id: SecretItemID) throws -> ProgramSecret {
            guard index.contains(id) else { throw BusError.noSuchObject }
            if id.isOwners {
                guard let item = try entries([id])[id] else { throw BusError.noSuchObject }
                return ProgramSecret(entry: item)
            }
            return ProgramSecret(stored: try vault.secrets().describe(try id.name()))
        }

        /// Follows a change that was just made, so that the whole list need not be read again.
        func follow(_ change: (inout AttributeIndex) -> Void) {
            change(&index)
            let now = try? vault.generation()
            known = known.flatMap { last in now.flatMap { $0.isNext(after: last) ? $0 : nil } }
        }

        private func note(locked isLockedNow: Bool) throws {
            guard isLocked != isLockedNow else { return }
            isLocked = isLockedNow
            if isLocked {
                known = nil
                for id in index.items(in: .session) { index.remove(id) }
            }
            for collection in SecretCollection.allCases {
                try changed(collection.path, "Collection") { message in
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("Locked")
                        try message.append(variant: "b") { try message.append(isLockedNow) }
                    }
                }
            }
        }
    }

    // Values.
    extension SecretService {
        /// A session of a client.
        func session(_ path: String, of client: String) throws -> TransportSession {
            guard let session = sessions[path], session.client == client else {
                throw BusError.noSession
            }
            return session
        }

        /// Reads a value, and writes it to an answer.
        ///
        /// - Parameters:
        ///   - id: The item.
        ///   - entry: Its description, if it is one of the owner's.
        ///   - session: The session that encrypts it.
        ///   - path: The path of the session.
        ///   - message: The answer.
        /// - Returns: Its size in bytes.
        /// - Throws: A `BusError`, or why the vault cannot be read.
        private func write(
            _ id: SecretItemID, _ entry: SecretItem?, _ session: TransportSession, _ path: String,
            to message: BusMessage
        ) throws -> Int {
            let name = try id.isOwners ? entry?.name : id.name()
            guard let name, index.contains(id) else { throw BusError.noSuchObject }
            // Before the bus has told the process it is none, not that of the last read.
            let reader = reader(session.client) ?? SecretReader(program: "", process: 0)
            let found = try vault.secrets(for: reader).read(name) {
                (item, value) throws(SecureStoreError) -> FoundSecret in
                do {
                    return FoundSecret(item: item, value: try value.copy())
                } catch {
                    throw SecureStoreError(translating: error)
                }
            }
            // It may have been protected since the index was made.
            guard found.item.attributes.accessClass == .whileUnlocked else {
                throw BusError.noSuchObject
            }
            let type =
                id.isOwners
                ? ProgramSecret.standardType : ProgramSecret(stored: found.item).contentType
            try session.write(found.value, type: type, path: path, to: message)
            return found.value.count
        }

        /// Answers `GetSecret`.
        func answerSecret(of id: SecretItemID, _ call: BusMessage) throws {
            let path = try call.readPath()
            let session = try session(path, of: call.sender)
            try refresh()
            guard index.contains(id) else { throw BusError.noSuchObject }
            let entry = try entries(id.isOwners ? [id] : [])[id]
            let isFirst = admit(call.sender)
            try bus.answer(call) { _ = try write(id, entry, session, path, to: $0) }
            if isFirst { announce(call.sender) }
        }

        /// Answers `GetSecrets`; items that do not exist are left out.
        func answerSecrets(_ call: BusMessage) throws {
            let paths = try call.readPaths()
            let sessionPath = try call.readPath()
            let session = try session(sessionPath, of: call.sender)
            try refresh()
            let items = paths.compactMap { path -> (path: String, id: SecretItemID)? in
                guard case .item(let id)? = SecretObject(path: path), index.contains(id) else {
                    return nil
                }
                return (path, id)
            }
            let entries = try entries(Set(items.map { $0.id }.filter(\.isOwners)))
            let isFirst = admit(call.sender)
            try bus.answer(call) { message in
                var rest = Self.mostBytes
                try message.append(BusMessage.array, of: "{o(oayays)}") {
                    for (path, id) in items {
                        try message.append(BusMessage.entry, of: "o(oayays)") {
                            try message.append(path: path)
                            rest -= try write(
                                id, entries[id], session, sessionPath, to: message)
                        }
                        if rest < 0 { throw BusError.tooMuch("too many secrets at once") }
                    }
                }
            }
            if isFirst { announce(call.sender) }
        }
    }

    private struct FoundSecret: ~Copyable {
        let item: SecretItem
        let value: SecretBytes
    }
#endif
