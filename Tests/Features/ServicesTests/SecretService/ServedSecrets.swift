#if os(Linux)
    import Platform
    import SecretMemory
    import SecureStorage
    import Synchronization
    import TestSupport
    import Testing
    import TextCoding

    @testable import Services

    /// A store that counts its changes.
    final class CountingStore: ForwardingStore {
        let memory = MemorySecureStore(now: { 1_800_000_000_000 })
        let changes = Atomic<UInt64>(1)
        let lists = Atomic<Int>(0)
        /// Whether programs have filled the session collection.
        let isSessionFull = Atomic<Bool>(false)

        var base: any SecureStore { memory }

        func save(
            _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
        ) throws(SecureStoreError) -> SecretItem {
            if name.isSessionOnly, isSessionFull.load(ordering: .relaxed) {
                throw .unavailable(.full, detail: "the session is full")
            }
            changes.add(1, ordering: .relaxed)
            return try memory.save(value, as: name, attributes)
        }

        func update(
            _ name: SecretName, to value: borrowing SecretBytes, _ edit: SecretEdit,
            expecting revision: UInt64?
        ) throws(SecureStoreError) -> SecretItem {
            changes.add(1, ordering: .relaxed)
            return try memory.update(name, to: value, edit, expecting: revision)
        }

        func edit(
            _ name: SecretName, _ edit: SecretEdit, expecting revision: UInt64?
        ) throws(SecureStoreError) -> SecretItem {
            changes.add(1, ordering: .relaxed)
            return try memory.edit(name, edit, expecting: revision)
        }

        func remove(
            _ name: SecretName, expecting revision: UInt64?, permanently isPermanent: Bool
        ) throws(SecureStoreError) {
            changes.add(1, ordering: .relaxed)
            try memory.remove(name, expecting: revision, permanently: isPermanent)
        }

        func list() throws(SecureStoreError) -> [SecretItem] {
            lists.add(1, ordering: .relaxed)
            return try memory.list()
        }
    }

    /// A vault in memory, with a clock that tests change.
    final class TestProgramVault: ProgramVault {
        struct State {
            var isLocked = false
            var access = ProgramAccess.all
            /// Why programs can use nothing.
            var refusal: Failure?
            /// Why the vault cannot be reached.
            var failure: SystemFailure?
            var readers: [String] = []
            /// The processes in whose names was read.
            var processes: [Int32] = []
            var reports: [String] = []
            var time = MonotonicTime.now
        }

        let store = CountingStore()
        let state = Mutex(State())

        func secrets() throws -> any SecureStore {
            let (isLocked, failure) = state.withLock { ($0.isLocked, $0.failure) }
            if let failure { throw failure }
            if isLocked { throw SecureStoreError.locked }
            return store
        }

        func secrets(for reader: SecretReader) throws -> any SecureStore {
            state.withLock { $0.processes.append(reader.process) }
            return try secrets()
        }

        func generation() throws -> ProgramVaultGeneration {
            _ = try secrets()
            return ProgramVaultGeneration(
                vault: store.changes.load(ordering: .relaxed), session: 0)
        }

        func vaultID() throws -> [UInt8] { [UInt8](repeating: 7, count: 16) }

        func lock() throws { state.withLock { $0.isLocked = true } }

        func unlock() { state.withLock { $0.isLocked = false } }

        func unlock(with passphrase: borrowing SecretBytes) -> UnlockOutcome {
            let right = try? unsafe SecretBytes(copying: "right %".utf8Span.span.bytes)
            guard let right, passphrase.isEqual(to: right) else { return .wrongPassphrase }
            unlock()
            return .unlocked
        }

        func registerReader(_ reader: SecretReader) -> Bool {
            state.withLock { state in
                defer { state.readers.append(reader.program) }
                return !state.readers.contains(reader.program)
            }
        }

        func access() throws -> ProgramAccess {
            let (access, refusal) = state.withLock { ($0.access, $0.refusal) }
            if let refusal { throw refusal }
            return access
        }

        func report(_ line: String, hint: String) {
            state.withLock { $0.reports.append(line) }
        }

        var reports: [String] { state.withLock { $0.reports } }

        /// Saves an entry of the owner.
        func saveEntry(
            _ service: String, _ account: String, _ value: String,
            field: String = SecretName.standardField, _ accessClass: AccessClass = .whileUnlocked
        ) throws {
            _ = try unsafe store.save(
                SecretBytes(copying: value.utf8Span.span.bytes),
                as: SecretName(service: service, account: account, field: field),
                SecretAttributes(accessClass: accessClass))
        }
    }

    /// The service on a bus, in the thread of the test: it works while a client waits.
    final class ServedSecrets {
        let vault: TestProgramVault
        let service: SecretService

        init(
            _ vault: TestProgramVault, on address: String, replacing replaces: Bool = false,
            asking ask: @escaping PassphraseDialog.Ask = { _ in .impossible }
        ) throws {
            self.vault = vault
            service = try SecretService(
                SessionBus(address: address), vault, replacing: replaces, asking: ask,
                now: { vault.state.withLock { $0.time } })
        }

        /// Handles what has come.
        func work() throws {
            while let message = try service.bus.next() { try service.handle(message) }
            try service.tick()
        }

        /// Works until something is so.
        func until(_ what: String, _ condition: () throws -> Bool) throws {
            try eventually(what) {
                try work()
                return try condition()
            }
        }

        /// Lets time pass.
        func advance(_ duration: Duration) throws {
            vault.state.withLock { $0.time = $0.time + duration }
            try work()
        }
    }

    /// A client on the bus.
    final class SecretClient {
        static let root = "/org/freedesktop/secrets"
        static let login = root + "/collection/login"

        let bus: SessionBus
        let served: ServedSecrets
        private(set) var signals: [BusMessage] = []

        init(_ address: String, _ served: ServedSecrets) throws {
            bus = try SessionBus(address: address)
            self.served = served
            try served.until("the name is owned") { served.service.isOwner }
            // What is sent before the bus has greeted the client waits in its process.
            try askBus("GetId") { _ in }
        }

        /// Sends a call.
        func send(
            _ member: String, of interface: String, at path: String = root,
            _ write: (BusMessage) throws -> Void = { _ in }
        ) throws -> UInt64 {
            let isOfBus = ["Properties", "Introspectable"].contains(interface)
            let name = (isOfBus ? "org.freedesktop.DBus." : "org.freedesktop.Secret.") + interface
            return try bus.call(
                member, of: name, at: path, to: "org.freedesktop.secrets", write)
        }

        /// The answer to a call; nil if there is none yet.
        func answer(to number: UInt64) throws -> BusMessage? {
            try served.work()
            while let message = try bus.next() {
                if message.replySerial == number { return message }
                if message.replySerial == nil { signals.append(message) }
            }
            return nil
        }

        /// Calls a method, and waits for the answer.
        func call(
            _ member: String, of interface: String, at path: String = root,
            _ write: (BusMessage) throws -> Void = { _ in }
        ) throws -> BusMessage {
            let number = try send(member, of: interface, at: path, write)
            var answer: BusMessage?
            try eventually("\(member) is answered") {
                answer = try self.answer(to: number)
                return answer != nil
            }
            return try #require(answer)
        }

        /// The next signal of this name.
        func signal(_ member: String, of interface: String) throws -> BusMessage {
            let name =
                interface == "Properties"
                ? "org.freedesktop.DBus.Properties" : "org.freedesktop.Secret." + interface
            var found: BusMessage?
            try eventually("\(member) comes") {
                _ = try answer(to: 0)
                found = signals.first { $0.isSignal(member, of: name) }
                return found != nil
            }
            signals.removeAll { $0 === found }
            return try #require(found)
        }

        /// Has the bus pass signals of the service on.
        func listen() throws {
            try askBus("AddMatch") {
                try $0.append("type='signal',sender='org.freedesktop.secrets'")
            }
        }

        /// Calls a method of the bus itself, and waits for the answer.
        private func askBus(_ member: String, _ write: (BusMessage) throws -> Void) throws {
            let number = try bus.call(
                member, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                to: "org.freedesktop.DBus", write)
            try eventually("the bus answers") { try answer(to: number) != nil }
        }

        /// Opens a session without encryption.
        func openSession() throws -> String {
            let answer = try call("OpenSession", of: "Service") { message in
                try message.append("plain")
                try message.append(variant: "s") { try message.append("") }
            }
            try #require(!answer.isError)
            try answer.skip("v")
            return try answer.readPath()
        }

        /// Creates an item, by a plain session.
        func create(
            _ attributes: [String: String], _ value: [UInt8], _ session: String,
            label: String = "label", type: String = "text/plain", replacing replaces: Bool = false,
            at collection: String = root + "/aliases/default"
        ) throws -> BusMessage {
            try call("CreateItem", of: "Collection", at: collection) { message in
                try message.append(BusMessage.array, of: "{sv}") {
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("org.freedesktop.Secret.Item.Label")
                        try message.append(variant: "s") { try message.append(label) }
                    }
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("org.freedesktop.Secret.Item.Attributes")
                        try message.append(variant: "a{ss}") {
                            try Self.append(attributes, to: message)
                        }
                    }
                }
                try Self.append(value, session, type, to: message)
                try message.append(replaces)
            }
        }

        /// The path of an item that was created.
        func created(
            _ attributes: [String: String], _ value: [UInt8], _ session: String,
            replacing replaces: Bool = false
        ) throws -> String {
            try create(attributes, value, session, replacing: replaces).readPath()
        }

        static func append(
            _ value: [UInt8], _ session: String, _ type: String = "text/plain",
            to message: BusMessage
        ) throws {
            try message.append(BusMessage.structure, of: "oayays") {
                try message.append(path: session)
                try unsafe message.append(bytes: [UInt8]().span.bytes)
                try unsafe message.append(bytes: value.span.bytes)
                try message.append(type)
            }
        }

        static func append(_ attributes: [String: String], to message: BusMessage) throws {
            try message.append(BusMessage.array, of: "{ss}") {
                for (key, value) in attributes {
                    try message.append(BusMessage.entry, of: "ss") {
                        try message.append(key)
                        try message.append(value)
                    }
                }
            }
        }

        /// The unlocked and the locked items with these attributes.
        func search(_ attributes: [String: String]) throws -> (unlocked: [String], locked: [String])
        {
            let answer = try call("SearchItems", of: "Service") {
                try Self.append(attributes, to: $0)
            }
            try #require(!answer.isError)
            return (try answer.readPaths(), try answer.readPaths())
        }

        /// The value and the type of an item; nil for an error.
        func secret(_ path: String, _ session: String) throws -> (value: [UInt8], type: String)? {
            let answer = try call("GetSecret", of: "Item", at: path) {
                try $0.append(path: session)
            }
            guard !answer.isError else { return nil }
            return try answer.read(BusMessage.structure, "oayays") {
                _ = try answer.readPath()
                try answer.readBytes { _ in }
                let value = try answer.readBytes { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                }
                return (value, try answer.readText())
            }
        }

        /// Reads a property.
        func property(_ name: String, of interface: String, at path: String) throws -> BusMessage {
            try call("Get", of: "Properties", at: path) {
                try $0.append("org.freedesktop.Secret." + interface)
                try $0.append(name)
            }
        }

        func isLocked(_ path: String = login) throws -> Bool {
            let answer = try property("Locked", of: "Collection", at: path)
            return try answer.read(BusMessage.variant, "b") { try answer.readBoolean() }
        }
    }

    extension BusMessage {
        /// Whether it is an error of the Secret Service.
        func isRefusal(_ name: String) -> Bool { isError("org.freedesktop.Secret.Error." + name) }
    }

    /// Runs `body` with a service on a bus of its own, and a client.
    func withSecrets(
        asking ask: @escaping PassphraseDialog.Ask = { _ in .impossible },
        _ body: (SecretClient, ServedSecrets, String) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let session = try DesktopSession(in: folder)
            defer { session.end() }
            let served = try ServedSecrets(TestProgramVault(), on: session.address, asking: ask)
            try body(SecretClient(session.address, served), served, session.address)
        }
    }
#endif
