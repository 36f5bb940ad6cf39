#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import SecureStorage

    // The methods of the service, of collections and of items.
    extension SecretService {
        func callService(_ member: String, _ call: BusMessage) throws {
            switch member {
            case "OpenSession" where call.has(types: "sv"): try openSession(call)
            case "SearchItems" where call.has(types: "a{ss}"):
                let found = try search(try call.readDictionary(), in: nil)
                try bus.answer(call) {
                    try $0.append(paths: isLocked ? [] : found)
                    try $0.append(paths: isLocked ? found : [])
                }
            case "GetSecrets" where call.has(types: "aoo"): try answerSecrets(call)
            case "Unlock" where call.has(types: "ao"): try unlock(try call.readPaths(), call)
            case "Lock" where call.has(types: "ao"):
                let paths = try call.readPaths().filter {
                    SecretObject(path: $0)?.isLockable == true
                }
                if !paths.isEmpty {
                    try vault.lock()
                    // It tells the clients.
                    try? refresh()
                }
                try bus.answer(call) {
                    try $0.append(paths: paths)
                    try $0.append(path: "/")
                }
            case "ReadAlias" where call.has(types: "s"):
                let collection = SecretObject.collection(try call.readText(), isAlias: true)
                try bus.answer(call) { try $0.append(path: collection?.path ?? "/") }
            case "SetAlias" where call.has(types: "so"):
                let alias = try call.readText()
                let object = SecretObject(path: try call.readPath())
                guard let collection = SecretObject.collection(alias, isAlias: true),
                    object == .collection(collection)
                else { throw BusError.unsupported("aliases cannot be changed") }
                try bus.answer(call)
            case "CreateCollection" where call.has(types: "a{sv}s"):
                try call.skip("a{sv}")
                // Programs that look for the default one first come here only if they lost it.
                guard
                    let collection = SecretObject.collection(try call.readText(), isAlias: true)
                else { throw BusError.unsupported("there are two collections: login, session") }
                try bus.answer(call) {
                    try $0.append(path: collection.path)
                    try $0.append(path: "/")
                }
            default: throw BusError.unknownMethod
            }
        }

        private func openSession(_ call: BusMessage) throws {
            let algorithm = try call.readText()
            var cipher: TransportCipher?
            switch (algorithm, call.variantType) {
            case ("plain", "s"): break
            case (TransportCipher.name, "ay"):
                let peer = try call.read(BusMessage.variant, "ay") {
                    try call.readBytes { bytes -> [UInt8] in
                        guard bytes.byteCount <= 1_024 else { return [] }
                        return unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    }
                }
                cipher = try TransportCipher.agree(with: peer)
                if cipher == nil { throw BusError.invalid("not a public key of the group") }
            default: throw BusError.unsupported("no such algorithm")
            }
            let client = call.sender
            guard sessions.count < Self.mostSessions.together,
                sessions.values.count(where: { $0.client == client })
                    < Self.mostSessions.ofClient
            else { throw BusError.tooMuch("too many sessions") }
            try track(client)
            let path = SecretObject.root + "/session/s\(newNumber())"
            sessions[path] = TransportSession(client: client, cipher: cipher)
            try bus.answer(call) { message in
                if let cipher {
                    try message.append(variant: "ay") {
                        let key = cipher.publicKey
                        try unsafe message.append(bytes: key.span.bytes)
                    }
                } else {
                    try message.append(variant: "s") { try message.append("") }
                }
                try message.append(path: path)
            }
        }

        /// The paths of items; of a locked vault from memory.
        private func search(
            _ attributes: [String: String], in collection: SecretCollection?
        ) throws -> [String] {
            do {
                try refresh()
            } catch {
                // Without an index an empty result would mean that there is nothing.
                guard BusError(error) == .isLocked, isIndexed else { throw error }
            }
            return index.search(attributes, in: collection).map(\.path)
        }

        func callCollection(
            _ member: String, of collection: SecretCollection, _ call: BusMessage
        ) throws {
            switch member {
            case "SearchItems" where call.has(types: "a{ss}"):
                let found = try search(try call.readDictionary(), in: collection)
                try bus.answer(call) { try $0.append(paths: found) }
            case "CreateItem" where call.has(types: "a{sv}(oayays)b"):
                try createItem(in: collection, call)
            case "Delete" where call.has(types: ""):
                throw BusError.unsupported("a collection cannot be deleted")
            default: throw BusError.unknownMethod
            }
        }

        private func createItem(in collection: SecretCollection, _ call: BusMessage) throws {
            // It may wait, or be refused, before its value is read.
            try call.markSensitive()
            var new = ProgramSecret(label: "", attributes: [:])
            try call.readEach(of: "{sv}") {
                try call.read(BusMessage.entry, "sv") {
                    switch (try call.readText(), call.variantType) {
                    case (Self.interface("Item.Label"), "s"):
                        new.label = try call.read(BusMessage.variant, "s") { try call.readText() }
                    case (Self.interface("Item.Attributes"), "a{ss}"):
                        new.attributes = try call.read(BusMessage.variant, "a{ss}") {
                            try call.readDictionary()
                        }
                    default: try call.skip("v")
                    }
                }
            }
            try refresh()
            let sent = try SentSecret(call) { try session($0, of: call.sender) }
            let replaces = try call.readBoolean()
            new.contentType = sent.type
            let stored = new.stored
            let old = replaces ? index.exact(new.attributes, in: collection) : nil
            let id = old ?? SecretItemID(randomIn: collection)
            let item =
                try old == nil
                ? vault.secrets().save(sent.value, as: id.name(), stored)
                : vault.secrets().update(
                    id.name(), to: sent.value,
                    SecretEdit(label: stored.label, extra: stored.extra), expecting: nil)
            follow { $0.set(id, new.attributes, modified: item.modified) }
            try bus.answer(call) {
                try $0.append(path: id.path)
                try $0.append(path: "/")
            }
            if old != nil { return try itemChanged(id) }
            try tell("ItemCreated", of: id)
            try changed(collection.path, "Collection", without: ["Items", "Modified"])
        }

        func callItem(_ member: String, of id: SecretItemID, _ call: BusMessage) throws {
            switch member {
            case "GetSecret" where call.has(types: "o"): try answerSecret(of: id, call)
            case "SetSecret" where call.has(types: "(oayays)"):
                let sent = try SentSecret(call) { try session($0, of: call.sender) }
                try change(id) { old in
                    old.contentType = sent.type
                    return try vault.secrets().update(
                        id.name(), to: sent.value, SecretEdit(extra: old.stored.extra),
                        expecting: nil)
                }
                try bus.answer(call)
                try itemChanged(id)
            case "Delete" where call.has(types: ""):
                try refresh()
                guard index.contains(id) else { throw BusError.noSuchObject }
                guard !id.isOwners else { throw BusError.readOnly }
                try vault.secrets().remove(id.name())
                follow { $0.remove(id) }
                try bus.answer(call) { try $0.append(path: "/") }
                try tell("ItemDeleted", of: id)
                try changed(id.collection.path, "Collection", without: ["Items", "Modified"])
            default: throw BusError.unknownMethod
            }
        }

        /// Changes an item that was made over D-Bus.
        func change(_ id: SecretItemID, _ body: (inout ProgramSecret) throws -> SecretItem) throws {
            try refresh()
            guard index.contains(id) else { throw BusError.noSuchObject }
            guard !id.isOwners else { throw BusError.readOnly }
            var secret = try describe(id)
            let item = try body(&secret)
            follow { $0.set(id, secret.attributes, modified: item.modified) }
        }

        /// Tells the clients that an item changed; not how, which programs that record the bus would see.
        func itemChanged(_ id: SecretItemID) throws {
            try tell("ItemChanged", of: id)
            try changed(id.path, "Item", without: ["Label", "Attributes", "Modified"])
        }

        private func tell(_ signal: String, of id: SecretItemID) throws {
            try bus.signal(signal, of: Self.interface("Collection"), at: id.collection.path) {
                try $0.append(path: id.path)
            }
        }

        /// Sends `PropertiesChanged`: the properties `names` without their values, and entries that `write` writes.
        func changed(
            _ path: String, _ interface: String, without names: [String] = [],
            _ write: (BusMessage) throws -> Void = { _ in }
        ) throws {
            try bus.signal(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: path
            ) { message in
                try message.append(Self.interface(interface))
                try message.append(BusMessage.array, of: "{sv}") { try write(message) }
                try message.append(names)
            }
        }
    }

    extension SecretObject {
        /// Whether it is the vault, or a part of it.
        var isLockable: Bool {
            switch self {
            case .collection, .item: true
            case .service, .session, .prompt: false
            }
        }
    }
#endif
