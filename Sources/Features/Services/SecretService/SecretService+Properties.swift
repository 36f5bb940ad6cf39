#if os(Linux)
    internal import Platform
    internal import SecureStorage

    // The interface `org.freedesktop.DBus.Properties`.
    extension SecretService {
        func callProperties(
            _ member: String, of object: SecretObject, _ call: BusMessage
        ) throws {
            switch member {
            case "Get" where call.hasSignature("ss"):
                let interface = try call.readText()
                let name = try call.readText()
                guard object.interface == interface, object.properties.contains(name) else {
                    throw BusError.unknownProperty
                }
                let values = try values(of: object)
                if isUnknown(name) { throw BusError.isLocked }
                try bus.reply(call) { try write(name, values, to: $0) }
            case "GetAll" where call.hasSignature("s"):
                let interface = try call.readText()
                let isOwn = object.interface == interface
                let values = isOwn ? try values(of: object) : Values()
                // Omit the property: an empty list would wrongly say that there are no items.
                let names = object.properties.filter { $0 == "Collections" || !isUnknown($0) }
                try bus.reply(call) { try append(isOwn ? names : [], values, to: $0) }
            case "Set" where call.hasSignature("ssv"): try set(object, call)
            default: throw BusError.unknownMethod
            }
        }

        /// The data behind an object's properties.
        struct Values {
            var collection: SecretCollection?
            /// The item. If it is locked, it is empty.
            var item: ProgramSecret?
            var isLocked = false
        }

        func values(of collection: SecretCollection) -> Values {
            Values(collection: collection, isLocked: isLocked(in: collection))
        }

        /// Whether a list is not known before the first unlock.
        private func isUnknown(_ name: String) -> Bool {
            ["Items", "Collections"].contains(name) && isLocked && !isIndexed
        }

        private func values(of object: SecretObject) throws -> Values {
            do {
                try refresh()
            } catch {
                guard BusError(error) == .isLocked else { throw error }
            }
            switch object {
            case .service: return Values()
            case .collection(let collection): return values(of: collection)
            case .item(let id):
                guard isLocked(in: id.collection) else { return Values(item: try describe(id)) }
                guard isIndexed || searches[id] != nil else { throw BusError.isLocked }
                guard index.contains(id) || searches[id] != nil else { throw BusError.noSuchObject }
                return Values(item: ProgramSecret(label: "", attributes: [:]), isLocked: true)
            case .session, .prompt: throw BusError.unknownProperty
            }
        }

        /// Appends properties with their values.
        func append(_ names: [String], _ values: Values, to message: BusMessage) throws {
            try message.append(BusMessage.array, of: "{sv}") {
                for name in names {
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append(name)
                        try write(name, values, to: message)
                    }
                }
            }
        }

        private func write(_ name: String, _ values: Values, to message: BusMessage) throws {
            switch name {
            case "Collections":
                try message.append(variant: "ao") {
                    try message.append(paths: collections.map(\.path))
                }
            case "Items":
                try message.append(variant: "ao") {
                    let items = values.collection.map { index.items(in: $0) } ?? []
                    try message.append(paths: items.map(\.path))
                }
            case "Locked":
                try message.append(variant: "b") { try message.append(values.isLocked) }
            case "Label":
                let label = values.item?.label ?? values.collection.map(shownLabel(of:)) ?? ""
                try message.append(variant: "s") { try message.append(label) }
            case "Attributes":
                try message.append(variant: "a{ss}") {
                    try message.append(BusMessage.array, of: "{ss}") {
                        for (key, value) in values.item?.attributes ?? [:] {
                            try message.append(BusMessage.entry, of: "ss") {
                                try message.append(key)
                                try message.append(value)
                            }
                        }
                    }
                }
            default:
                let isCreated = name == "Created"
                var time = (isCreated ? values.item?.created : values.item?.modified) ?? 0
                if let collection = values.collection {
                    let record = labels[collection]
                    let items = isCreated ? firstTimes[collection] : index.modified(collection)
                    let times = [
                        items.map { UInt64(max(0, $0)) / 1_000 },
                        isCreated ? record?.created : record?.modified,
                    ].compactMap(\.self)
                    time = (isCreated ? times.min() : times.max()) ?? 0
                }
                try message.append(variant: "t") { try message.append(time) }
            }
        }

        private func set(_ object: SecretObject, _ call: BusMessage) throws {
            let interface = try call.readText()
            let name = try call.readText()
            guard object.interface == interface, object.properties.contains(name) else {
                throw BusError.unknownProperty
            }
            if case .collection(let collection) = object, name == "Label" {
                guard call.variantType == "s" else {
                    throw BusError.invalid("a value of another type")
                }
                try setLabel(
                    call.read(BusMessage.variant, "s") { try call.readText() }, of: collection)
                try bus.reply(call)
                return try emitCollection("CollectionChanged", collection)
            }
            guard case .item(let id) = object else { throw BusError.readOnly }
            let changed: SecretItemID
            switch (name, call.variantType) {
            case ("Label", "s"):
                let label = try call.read(BusMessage.variant, "s") { try call.readText() }
                changed = try change(id) { id, secret in
                    secret.label = label
                    return try edit(id, secret)
                }
            case ("Attributes", "a{ss}"):
                let attributes = try call.read(BusMessage.variant, "a{ss}") {
                    try call.readDictionary()
                }
                changed = try change(id) { id, secret in
                    secret.attributes = attributes
                    return try edit(id, secret)
                }
            case ("Label", _), ("Attributes", _): throw BusError.invalid("a value of another type")
            default: throw BusError.readOnly
            }
            try bus.reply(call)
            try emitItemChanged(changed)
        }

        /// The label of a collection that clients show.
        private func shownLabel(of collection: SecretCollection) -> String {
            if let label = labels[collection]?.label { return label }
            switch collection {
            case .login: return "Login"
            case .session: return "Session"
            default: return collection.name
            }
        }

        private func edit(_ id: SecretItemID, _ secret: ProgramSecret) throws -> SecretItem {
            let stored = secret.stored
            return try vault.secrets().edit(
                id.name(), SecretEdit(label: stored.label, extra: stored.extra), expecting: nil)
        }
    }

    extension SecretObject {
        /// The D-Bus interface of the object.
        var interface: String {
            let name =
                switch self {
                case .service: "Service"
                case .collection: "Collection"
                case .item: "Item"
                case .session: "Session"
                case .prompt: "Prompt"
                }
            return SecretService.interface(name)
        }

        /// The names of the object's properties.
        var properties: [String] {
            switch self {
            case .service: ["Collections"]
            case .collection: ["Items", "Label", "Locked", "Created", "Modified"]
            case .item: ["Locked", "Attributes", "Label", "Created", "Modified"]
            case .session, .prompt: []
            }
        }
    }
#endif
