#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import SecureStorage

    // The methods of the service, the collections and the items.
    extension SecretService {
        func callService(_ member: String, _ call: BusMessage) throws {
            switch member {
            case "OpenSession" where call.hasSignature("sv"): try openSession(call)
            case "SearchItems" where call.hasSignature("a{ss}"):
                let found = try search(try call.readDictionary(), in: nil, for: call.sender)
                try bus.reply(call) {
                    try $0.append(paths: found.filter { !isLocked(in: $0.collection) }.map(\.path))
                    try $0.append(paths: found.filter { isLocked(in: $0.collection) }.map(\.path))
                }
            case "GetSecrets" where call.hasSignature("aoo"): try answerSecrets(call)
            case "Unlock" where call.hasSignature("ao"): try unlock(try call.readPaths(), call)
            case "Lock" where call.hasSignature("ao"):
                let all = Set(collections)
                let paths = try call.readPaths().filter {
                    Self.collection(of: $0).map { all.contains($0) } == true
                }
                let locked = Set(paths.compactMap(Self.collection(of:)))
                if locked == [.session] {
                    if (try? refresh()) != nil { try setSessionLocked(true) }
                } else if !locked.isEmpty {
                    try vault.lock()
                    // `refresh` sends the signals about the lock.
                    try? refresh()
                }
                try bus.reply(call) {
                    try $0.append(paths: paths)
                    try $0.append(path: "/")
                }
            case "ReadAlias" where call.hasSignature("s"):
                let collection = SecretObject.collection(try call.readText(), isAlias: true)
                try bus.reply(call) { try $0.append(path: collection?.path ?? "/") }
            case "SetAlias" where call.hasSignature("so"):
                let alias = try call.readText()
                let object = SecretObject(path: try call.readPath())
                guard let collection = SecretObject.collection(alias, isAlias: true),
                    object == .collection(collection)
                else { throw BusError.unsupported("aliases cannot be changed") }
                try bus.reply(call)
            case "CreateCollection" where call.hasSignature("a{sv}s"):
                try createCollection(call)
            default: throw BusError.unknownMethod
            }
        }

        /// The collection of an object path, which a lock covers.
        static func collection(of path: String) -> SecretCollection? {
            SecretObject(path: path)?.collection
        }

        private func createCollection(_ call: BusMessage) throws {
            var new = ProgramSecret(label: "", attributes: [:])
            try call.readEach(of: "{sv}") {
                try call.read(BusMessage.entry, "sv") {
                    switch (try call.readText(), call.variantType) {
                    case (Self.interface("Collection.Label"), "s"):
                        new.label = try call.read(BusMessage.variant, "s") { try call.readText() }
                    default: try call.skip("v")
                    }
                }
            }
            // A client calls this for the default collection only if `ReadAlias` failed before.
            let existing = SecretObject.collection(try call.readText(), isAlias: true)
            if existing == nil { try refresh() }
            let collection =
                existing
                ?? SecretCollection(labelled: new.label) {
                    !$0.isMade || madeCollections.contains($0)
                }
            if existing == nil { try saveLabel(new, of: collection) }
            try bus.reply(call) {
                try $0.append(path: collection.path)
                try $0.append(path: "/")
            }
            guard existing == nil else { return }
            madeCollections.insert(collection)
            try emitCollection("CollectionCreated", collection)
        }

        /// Saves the record of a collection.
        private func saveLabel(_ secret: ProgramSecret, of collection: SecretCollection) throws {
            let stored = secret.stored
            let name = try collection.recordName()
            let item: SecretItem
            do {
                item = try vault.secrets().edit(
                    name, SecretEdit(label: stored.label, extra: stored.extra), expecting: nil)
            } catch SecureStoreError.notFound {
                item = try vault.secrets().save(SecretBytes(count: 0), as: name, stored)
            }
            updateIndex { _ in }
            labels[collection] = ProgramSecret(stored: item)
        }

        /// Changes the label of a collection in the unlocked vault.
        func setLabel(_ label: String, of collection: SecretCollection) throws {
            guard collection != .session else { throw BusError.readOnly }
            try refresh()
            try saveLabel(ProgramSecret(label: label, attributes: [:]), of: collection)
        }

        /// Removes a collection that a program made, with its items, whose record goes last.
        private func delete(_ collection: SecretCollection, _ call: BusMessage) throws {
            guard collection.isMade else {
                throw BusError.unsupported("this collection cannot be deleted")
            }
            try refresh()
            for id in index.items(in: collection) {
                try vault.secrets().remove(id.name())
                updateIndex { $0.remove(id) }
            }
            do {
                try vault.secrets().remove(collection.recordName())
                updateIndex { _ in }
            } catch SecureStoreError.notFound {
                // A crash has removed it before.
            }
            labels[collection] = nil
            madeCollections.remove(collection)
            changedCollections.remove(collection)
            try bus.reply(call) { try $0.append(path: "/") }
            try emitCollection("CollectionDeleted", collection)
        }

        /// Sends a signal about a collection.
        func emitCollection(_ signal: String, _ collection: SecretCollection) throws {
            try bus.signal(signal, of: Self.interface("Service"), at: SecretObject.root) {
                try $0.append(path: collection.path)
            }
            try emitPropertiesChanged(["Collections"], of: .service, Values())
        }

        private func openSession(_ call: BusMessage) throws {
            let algorithm = try call.readText()
            var agreement: TransportKeyAgreement?
            switch (algorithm, call.variantType) {
            case ("plain", "s"): break
            case (TransportKeyAgreement.name, "ay"):
                let peer = try call.read(BusMessage.variant, "ay") {
                    try call.readBytes { bytes -> [UInt8] in
                        guard bytes.byteCount <= 1_024 else { return [] }
                        return unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    }
                }
                agreement = try TransportKeyAgreement.agree(with: peer)
                if agreement == nil { throw BusError.invalid("not a public key of the group") }
            default: throw BusError.unsupported("no such algorithm")
            }
            let client = call.sender
            guard sessions.count < Self.sessionLimits.total,
                sessions.values.count(where: { $0.client == client })
                    < Self.sessionLimits.perClient
            else { throw BusError.limitExceeded("too many sessions") }
            try addClient(client)
            let path = SecretObject.root + "/session/s\(newNumber())"
            sessions[path] = TransportSession(client: client, agreement: agreement)
            try bus.reply(call) { message in
                if let agreement {
                    try message.append(variant: "ay") {
                        let key = agreement.publicKey
                        try unsafe message.append(bytes: key.span.bytes)
                    }
                } else {
                    try message.append(variant: "s") { try message.append("") }
                }
                try message.append(path: path)
            }
        }

        /// The matching items. If the vault is locked, the index answers.
        private func search(
            _ attributes: [String: String], in collection: SecretCollection?, for client: String
        ) throws -> [SecretItemID] {
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked else { throw error }
                if !isIndexed { return [try searchLater(attributes, collection, client)] }
            }
            return index.search(attributes, in: collection)
        }

        /// An item that stands for the result until the vault is unlocked. An empty result would
        /// wrongly say that no item matches, and some clients would replace their key.
        private func searchLater(
            _ attributes: [String: String], _ collection: SecretCollection?, _ client: String
        ) throws -> SecretItemID {
            let limits = Self.callLimits
            guard attributes.count <= limits.perClient, searches.count < limits.total,
                searches.values.count(where: { $0.client == client }) < limits.perClient
            else { throw BusError.isLocked }
            try addClient(client)
            let id = SecretItemID(ofSearchIn: collection ?? .login)
            searches[id] = EarlySearch(
                client: client, pairs: index.hashes(attributes), collection: collection)
            return id
        }

        func callCollection(
            _ member: String, of collection: SecretCollection, _ call: BusMessage
        ) throws {
            switch member {
            case "SearchItems" where call.hasSignature("a{ss}"):
                let found = try search(
                    try call.readDictionary(), in: collection, for: call.sender)
                try bus.reply(call) { try $0.append(paths: found.map(\.path)) }
            case "CreateItem" where call.hasSignature("a{sv}(oayays)b"):
                try createItem(in: collection, call)
            case "Delete" where call.hasSignature(""): try delete(collection, call)
            default: throw BusError.unknownMethod
            }
        }

        private func createItem(in collection: SecretCollection, _ call: BusMessage) throws {
            // The call may be refused before its value is read, so it is marked sensitive first.
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
            guard !isLocked(in: collection) else { throw BusError.isSessionLocked }
            new.collection = collection
            let sent = try SecretStruct(call) { try session($0, of: call.sender) }
            let replaces = try call.readBoolean()
            new.contentType = sent.type
            let stored = new.stored
            let old = replaces ? index.exactMatch(new.attributes, in: collection) : nil
            let id = old ?? SecretItemID(randomIn: collection)
            let item =
                try old == nil
                ? vault.secrets().save(sent.value, as: id.name(), stored)
                : vault.secrets().update(
                    id.name(), to: sent.value,
                    SecretEdit(label: stored.label, extra: stored.extra), expecting: nil)
            updateIndex { $0.set(id, new.attributes, modified: item.modified) }
            firstTimes[collection] = firstTimes[collection] ?? item.created
            try bus.reply(call) {
                try $0.append(path: id.path)
                try $0.append(path: "/")
            }
            if old != nil { return try emitItemChanged(id) }
            try emit("ItemCreated", of: id)
            changedCollections.insert(collection)
        }

        func callItem(_ member: String, of id: SecretItemID, _ call: BusMessage) throws {
            switch member {
            case "GetSecret" where call.hasSignature("o"): try answerSecret(of: id, call)
            case "SetSecret" where call.hasSignature("(oayays)"):
                let sent = try SecretStruct(call) { try session($0, of: call.sender) }
                let id = try change(id) { id, old in
                    old.contentType = sent.type
                    return try vault.secrets().update(
                        id.name(), to: sent.value, SecretEdit(extra: old.stored.extra),
                        expecting: nil)
                }
                try bus.reply(call)
                try emitItemChanged(id)
            case "Delete" where call.hasSignature(""):
                try refresh()
                let id = try known(id)
                guard !id.isOwnerEntry else { throw BusError.readOnly }
                try vault.secrets().remove(id.name())
                updateIndex { $0.remove(id) }
                try bus.reply(call) { try $0.append(path: "/") }
                try emit("ItemDeleted", of: id)
                changedCollections.insert(id.collection)
            default: throw BusError.unknownMethod
            }
        }

        /// Changes an item that was made over D-Bus, and returns its id.
        func change(
            _ id: SecretItemID, _ body: (SecretItemID, inout ProgramSecret) throws -> SecretItem
        ) throws -> SecretItemID {
            try refresh()
            let id = try known(id)
            guard !id.isOwnerEntry else { throw BusError.readOnly }
            var secret = try describe(id)
            let item = try body(id, &secret)
            updateIndex { $0.set(id, secret.attributes, modified: item.modified) }
            return id
        }

        /// Sends the signals for a changed item. They omit its label and attributes, because other
        /// programs may record the bus. libsecret reads these again.
        func emitItemChanged(_ id: SecretItemID) throws {
            try emit("ItemChanged", of: id)
            var known = ProgramSecret(label: "", attributes: [:])
            known.modified = UInt64(max(0, index.modified(id))) / 1_000
            try emitPropertiesChanged(
                ["Modified"], of: .item(id), Values(item: known, isLocked: false))
        }

        /// Sends the items of each changed collection, once for many changes.
        func emitCollections() throws {
            for collection in changedCollections {
                try emitPropertiesChanged(
                    ["Items", "Modified"], of: .collection(collection),
                    values(of: collection))
            }
            changedCollections = []
        }

        private func emit(_ signal: String, of id: SecretItemID) throws {
            try bus.signal(signal, of: Self.interface("Collection"), at: id.collection.path) {
                try $0.append(path: id.path)
            }
        }

        /// Sends `PropertiesChanged` with the values. libsecret takes a property without its value
        /// for an empty one, and crashes.
        func emitPropertiesChanged(
            _ names: [String], of object: SecretObject, _ values: Values
        ) throws {
            try bus.signal(
                "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: object.path
            ) { message in
                try message.append(object.interface)
                try append(names, values, to: message)
                try message.append([])
            }
        }
    }
#endif
