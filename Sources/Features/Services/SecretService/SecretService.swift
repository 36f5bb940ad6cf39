#if os(Linux)
    internal import Platform
    internal import Sealing
    internal import SecretMemory
    internal import SecureStorage

    /// The Secret Service of freedesktop.org (version 0.2) on a session bus.
    ///
    /// A method that needs the unlocked vault waits for up to 20 seconds. Not thread-safe.
    final class SecretService {
        /// The maximum number of open sessions.
        static let sessionLimits = (perClient: 1_024, total: 4_096)
        /// The maximum number of waiting calls and prompts.
        static let callLimits = (perClient: 64, total: 512)
        /// The maximum size of waiting calls and prompts, in bytes.
        static let sizeLimits = (perClient: 4 * 1_048_576, total: 16 * 1_048_576)
        /// The maximum size of the values in one reply, in bytes.
        private static let maximumReplySize = 16 * 1_048_576

        let bus: SessionBus
        let vault: any ProgramVault
        let dialog: PassphraseDialog
        /// The clock of time limits. Tests replace it.
        let now: @Sendable () -> MonotonicTime
        var index: AttributeIndex
        /// The generation of the index; nil while the vault is locked or the index is stale.
        private var indexGeneration: ProgramVaultGeneration?
        /// The names of the owner's entries in the index; nil without a key for them.
        private var ownerNames: OwnerEntryNames?
        /// Whether the index was built since the start.
        var isIndexed = false
        var isLocked = true
        /// The secrets that the index has.
        private var access: ProgramAccess
        /// Whether a program has locked the session collection only.
        var isSessionLocked = false
        /// The stored labels of collections. They stay while the vault is locked.
        var labels: [SecretCollection: ProgramSecret] = [:]
        /// The collections that programs made.
        var madeCollections: Set<SecretCollection> = []
        /// The time of the first item of each collection, in milliseconds since 1970-01-01 UTC.
        var firstTimes: [SecretCollection: Int64] = [:]
        /// The collections whose items have changed since the last signal.
        var changedCollections: Set<SecretCollection> = []
        var sessions: [String: TransportSession] = [:]
        var clients: [String: BusClient] = [:]
        var prompts: [String: UnlockPrompt] = [:]
        var pendingCalls: [PendingCall] = []
        /// The searches before the first unlock, by the items that stand for their results.
        var searches: [SecretItemID: EarlySearch] = [:]
        /// The programs for which the person cancelled a question, and when the next one may come.
        var pauses: [String: MonotonicTime] = [:]
        var replyHandlers: [UInt64: (BusMessage) throws -> Void] = [:]
        var lastNumber: UInt64 = 0
        var nextCheck: MonotonicTime = .never
        var isOwner = false
        /// The id of the notification that asks for an unlock; 0 until the daemon has replied.
        var unlockNotification: UInt32?
        /// Whether to take the bus name from another program.
        let replacesOwner: Bool

        /// Makes the service, and requests its bus name.
        init(
            _ bus: SessionBus, _ vault: any ProgramVault, replacing replaces: Bool = false,
            asking ask: @escaping PassphraseDialog.Ask = PassphraseDialog.pinentry,
            now: @escaping @Sendable () -> MonotonicTime = { .now }
        ) throws {
            self.bus = bus
            self.vault = vault
            self.replacesOwner = replaces
            self.now = now
            access = (try? vault.access()) ?? .programs
            index = try AttributeIndex()
            dialog = try PassphraseDialog(vault, ask)
            try begin()
            // Build the index now if the vault is unlocked. Searches need it after a lock.
            try? refresh()
        }

        /// Handles a message of the bus.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func handle(_ message: BusMessage) throws {
            if let number = message.replySerial {
                do {
                    try replyHandlers.removeValue(forKey: number)?(message)
                } catch let failure as SystemFailure where failure.call == "sd_bus_message" {
                    // Ignore a malformed reply.
                }
            } else if message.isCall {
                try respond(message, until: now() + Self.callTimeout)
            } else {
                // Ignore a malformed signal: only a faulty program sends one.
                try? handleSignal(message)
            }
        }

        /// Answers a call, or queues it until the vault is unlocked.
        func respond(_ call: BusMessage, until deadline: MonotonicTime) throws {
            do {
                try applyAccess()
                try call.rewind()
                try dispatch(call)
            } catch {
                // Only a failure of the connection ends the loop. An error of the vault becomes a
                // D-Bus error.
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
            try bus.replyError(call, error.name, error.text)
        }

        private func dispatch(_ call: BusMessage) throws {
            let (path, interface, member) = call.target
            if interface == "org.freedesktop.DBus.Introspectable" {
                try? refresh()
                let text = Introspection.text(of: path, children(of: path))
                return try bus.reply(call) { try $0.append(text) }
            }
            guard let object = SecretObject(path: path) else { throw BusError.noSuchObject }
            if let collection = object.collection { try requireKnown(collection) }
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
                guard member == "Close", call.hasSignature("") else { throw BusError.unknownMethod }
                sessions[path] = nil
                try bus.reply(call)
            case .prompt(let path):
                try Self.check(interface, "Prompt")
                try callPrompt(member, at: path, call)
            }
        }

        /// - Throws: `noSuchObject`; `isLocked` if made collections are not known yet.
        private func requireKnown(_ collection: SecretCollection) throws {
            guard collection.isMade, !madeCollections.contains(collection) else { return }
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked, isIndexed else { throw error }
            }
            guard madeCollections.contains(collection) else { throw BusError.noSuchObject }
        }

        /// The names of the objects below a path, for the tree that tools show.
        private func children(of path: String) -> [String] {
            switch path {
            case "/": return ["org"]
            case "/org": return ["freedesktop"]
            case "/org/freedesktop": return ["secrets"]
            case SecretObject.root: return ["aliases", "collection"]
            case SecretObject.root + "/aliases": return ["default"]
            case SecretObject.root + "/collection": return collections.map(\.name)
            default:
                guard case .collection(let collection)? = SecretObject(path: path),
                    path == collection.path
                else { return [] }
                return index.items(in: collection).map(\.text)
            }
        }

        private static func check(_ interface: String, _ name: String) throws {
            guard interface.isEmpty || interface == Self.interface(name) else {
                throw BusError.unknownMethod
            }
        }

        static func interface(_ name: String) -> String { "org.freedesktop.Secret." + name }

        /// A unique number for a new object path.
        func newNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    // The index of the vault.
    extension SecretService {
        /// Follows the setting at each call, so that a denial applies at once.
        ///
        /// - Throws: A `BusError`; a `Failure`: the settings cannot be read, or there is no vault.
        func applyAccess() throws {
            let new = try vault.access()
            guard new != .off else {
                throw BusError.unsupported("the setting services-secrets is off")
            }
            guard new != access else { return }
            access = new
            index.removeAll()
            ownerNames = nil
            indexGeneration = nil
            isIndexed = false
        }

        /// Updates the index and the lock state.
        ///
        /// - Throws: `locked`; an error of the vault.
        func refresh() throws {
            do {
                if try vault.generation() != indexGeneration {
                    // To save the key changes the generation.
                    let key = try newNamesKey()
                    let generation = try vault.generation()
                    try rebuild(key)
                    indexGeneration = generation
                }
            } catch {
                if BusError(error) == .isLocked { try setLocked(true) }
                throw error
            }
            try setLocked(false)
        }

        private func rebuild(_ key: consuming AttributeKey?) throws {
            let items = try vault.secrets().list()
            let vaultID = try vault.vaultID()
            index.removeAll()
            ownerNames = nil
            labels = [:]
            firstTimes = [:]
            var made: Set<SecretCollection> = []
            for item in items where item.name.isStandardField {
                if let collection = SecretCollection(recordedBy: item) {
                    labels[collection] = ProgramSecret(stored: item)
                    if collection.isMade { made.insert(collection) }
                    continue
                }
                guard let place = ProgramSecret.collection(of: item),
                    let id = SecretItemID(item.name.account, in: place), !id.isOwnerEntry,
                    !id.isSearch
                else { continue }
                // A crash may have removed the record alone.
                if place.isMade { made.insert(place) }
                firstTimes[place] = min(firstTimes[place] ?? .max, item.created)
                index.set(id, ProgramSecret.attributes(of: item), modified: item.modified)
            }
            if made != madeCollections {
                madeCollections = made
                try emitPropertiesChanged(["Collections"], of: .service, Values())
            }
            changedCollections = Set(collections)
            let entries = access == .all ? Self.exported(items) : []
            for entry in entries {
                index.set(
                    SecretItemID(ofEntry: entry.name, vaultID),
                    ProgramSecret.attributes(ofEntry: entry.name), modified: entry.modified)
            }
            if let key {
                var names = OwnerEntryNames(vaultID)
                for entry in entries {
                    names.set(SecretItemID(ofEntry: entry.name, vaultID), entry.name, key)
                }
                ownerNames = names
            }
            isIndexed = true
        }

        /// The owner entries that other programs may read.
        private static func exported(_ items: [SecretItem]) -> [SecretEntry] {
            SecretEntry.entries(of: items.filter { !$0.name.isReserved }).filter {
                $0.accessClass == .whileUnlocked && $0.name.isStandardField
            }
        }

        /// The names of existing owner entries. Only without a key for the names the vault is
        /// listed, once for all ids.
        private func names(of ids: Set<SecretItemID>) throws -> [SecretItemID: SecretName] {
            if ids.isEmpty { return [:] }
            var found: [SecretItemID: SecretName] = [:]
            if let ownerNames, let key = try namesKey() {
                for id in ids { found[id] = try ownerNames.name(of: id, key) }
                return found
            }
            let vaultID = try vault.vaultID()
            for entry in Self.exported(try vault.secrets().list()) {
                let id = SecretItemID(ofEntry: entry.name, vaultID)
                if ids.contains(id) { found[id] = entry.name }
            }
            return found
        }

        /// The key of the names, which is gone after a lock; nil without one.
        private func namesKey() throws -> AttributeKey? {
            do {
                let bytes = try vault.secrets().value(of: Self.namesKeyName())
                guard bytes.count == AttributeKey.size else { return nil }
                return AttributeKey(bytes)
            } catch SecureStoreError.notFound {
                return nil
            }
        }

        /// The key of the names, which this makes if the agent has none; nil without one, and if
        /// programs may not read the owner's entries.
        private func newNamesKey() throws -> AttributeKey? {
            guard access == .all else { return nil }
            if let key = try namesKey() { return key }
            let bytes = try RandomSource.system.secret(count: AttributeKey.size)
            do {
                try vault.secrets().save(bytes, as: Self.namesKeyName(), SecretAttributes())
            } catch SecureStoreError.unavailable {
                // Programs have filled the session collection.
                return nil
            } catch SecureStoreError.duplicate {
                return try namesKey()
            }
            return AttributeKey(bytes)
        }

        private static func namesKeyName() throws -> SecretName {
            try SecretName(
                service: SecretName.sessionService, account: SecretName.namesKeyAccount)
        }

        /// The item of an id in the unlocked vault, or the one that an early search finds now.
        func known(_ id: SecretItemID) throws -> SecretItemID {
            let found = id.isSearch ? searches[id].flatMap { index.search($0).first } : id
            guard let found, index.contains(found) else { throw BusError.noSuchObject }
            guard !isLocked(in: found.collection) else { throw BusError.isSessionLocked }
            return found
        }

        /// All collections, those of programs by name.
        var collections: [SecretCollection] {
            [.login, .session] + madeCollections.sorted { $0.name < $1.name }
        }

        func isLocked(in collection: SecretCollection) -> Bool {
            isLocked || collection == .session && isSessionLocked
        }

        /// Locks or unlocks the session collection while the vault is unlocked.
        func setSessionLocked(_ isLockedNow: Bool) throws {
            guard isSessionLocked != isLockedNow else { return }
            isSessionLocked = isLockedNow
            try emitPropertiesChanged(["Locked"], of: .collection(.session), values(of: .session))
        }

        /// Reads the attributes of an item in the unlocked vault.
        func describe(_ id: SecretItemID) throws -> ProgramSecret {
            let id = try known(id)
            if id.isOwnerEntry {
                guard let name = try names(of: [id])[id] else { throw BusError.noSuchObject }
                return ProgramSecret(entry: try vault.secrets().describe(name))
            }
            return ProgramSecret(stored: try vault.secrets().describe(try id.name()))
        }

        /// Applies one own change to the index, which avoids a rebuild.
        func updateIndex(_ change: (inout AttributeIndex) -> Void) {
            change(&index)
            let now = try? vault.generation()
            indexGeneration = indexGeneration.flatMap { last in
                now.flatMap { $0.isNext(after: last) ? $0 : nil }
            }
        }

        private func setLocked(_ isLockedNow: Bool) throws {
            guard isLocked != isLockedNow else { return }
            isLocked = isLockedNow
            pauses = [:]
            if isLocked {
                indexGeneration = nil
                for id in index.items(in: .session) { index.remove(id) }
                changedCollections.insert(.session)
                // The lock has erased it.
                isSessionLocked = false
            }
            for collection in collections {
                try emitPropertiesChanged(
                    ["Locked"], of: .collection(collection), values(of: collection))
            }
        }
    }

    // Reads of secrets.
    extension SecretService {
        /// An open session of a client.
        func session(_ path: String, of client: String) throws -> TransportSession {
            guard let session = sessions[path], session.client == client else {
                throw BusError.noSession
            }
            return session
        }

        /// Reads a value and appends it to a reply.
        ///
        /// - Parameters:
        ///   - id: The item.
        ///   - name: The name of an owner entry; nil for an item made over D-Bus.
        ///   - session: The session that encrypts the value.
        ///   - path: The object path of the session.
        ///   - message: The reply.
        /// - Returns: The size of the value in bytes.
        /// - Throws: A `BusError`, or an error of the vault.
        private func write(
            _ id: SecretItemID, _ name: SecretName?, _ session: TransportSession, _ path: String,
            to message: BusMessage
        ) throws -> Int {
            let name = try id.isOwnerEntry ? name : id.name()
            guard let name, index.contains(id) else { throw BusError.noSuchObject }
            // Until the bus has named the process, the reader is unknown and not the previous one.
            let reader =
                reader(session.client)
                ?? SecretReader(program: "", isSandboxed: false, process: 0)
            let found = try vault.secrets(for: reader).read(name) {
                (item, value) throws(SecureStoreError) -> ItemValue in
                do {
                    return ItemValue(item: item, value: try value.copy())
                } catch {
                    throw SecureStoreError(translating: error)
                }
            }
            // The item may have been protected since the last index update.
            guard found.item.attributes.accessClass == .whileUnlocked else {
                throw BusError.noSuchObject
            }
            let type =
                id.isOwnerEntry
                ? ProgramSecret.standardType : ProgramSecret(stored: found.item).contentType
            try session.write(found.value, type: type, path: path, to: message)
            return found.value.count
        }

        /// Answers `GetSecret`.
        func answerSecret(of id: SecretItemID, _ call: BusMessage) throws {
            let path = try call.readPath()
            let session = try session(path, of: call.sender)
            try refresh()
            let id = try known(id)
            let name = try names(of: id.isOwnerEntry ? [id] : [])[id]
            let isFirst = registerRead(call.sender)
            try bus.reply(call) { _ = try write(id, name, session, path, to: $0) }
            if isFirst { announce(call.sender) }
        }

        /// Answers `GetSecrets`. Missing items are omitted, as the specification says.
        func answerSecrets(_ call: BusMessage) throws {
            let paths = try call.readPaths()
            let sessionPath = try call.readPath()
            let session = try session(sessionPath, of: call.sender)
            try refresh()
            let items = paths.compactMap { path -> (path: String, id: SecretItemID)? in
                guard case .item(let id)? = SecretObject(path: path) else { return nil }
                return (try? known(id)).map { (path, $0) }
            }
            let names = try names(of: Set(items.map { $0.id }.filter(\.isOwnerEntry)))
            let isFirst = registerRead(call.sender)
            try bus.reply(call) { message in
                var rest = Self.maximumReplySize
                try message.append(BusMessage.array, of: "{o(oayays)}") {
                    for (path, id) in items {
                        try message.append(BusMessage.entry, of: "o(oayays)") {
                            try message.append(path: path)
                            rest -= try write(
                                id, names[id], session, sessionPath, to: message)
                        }
                        if rest < 0 { throw BusError.limitExceeded("too many secrets at once") }
                    }
                }
            }
            if isFirst { announce(call.sender) }
        }
    }

    /// A search before the first unlock, when the service knows no items.
    struct EarlySearch {
        let client: String
        let pairs: [AttributeIndex.PairHash]
        let collection: SecretCollection?
    }

    private struct ItemValue: ~Copyable {
        let item: SecretItem
        let value: SecretBytes
    }
#endif
