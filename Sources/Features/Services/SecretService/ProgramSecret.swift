#if os(Linux)
    internal import Sealing
    internal import SecureStorage
    internal import TextCoding

    /// A collection of the Secret Service.
    package struct SecretCollection: Hashable, Sendable {
        /// The last part of its object path: letters, digits and underscores.
        let name: String

        /// The secrets of the vault.
        package static let login = SecretCollection(known: "login")
        /// Secrets that the agent keeps in memory until the vault is locked.
        static let session = SecretCollection(known: "session")

        /// The size of a label's beginning that is part of the name, in bytes.
        private static let largestLabel = 256

        private init(known name: String) { self.name = name }

        /// Reads a part of an object path; nil if it cannot be a name.
        init?(_ name: String) {
            guard (1...1_000).contains(name.utf8.count),
                name.utf8.allSatisfy({ Self.isPlain($0) || $0 == UInt8(ascii: "_") })
            else { return nil }
            self.name = name
        }

        /// Makes a name for a label as gnome-keyring does; some clients compute it from the label.
        init(labelled label: String, unlike isTaken: (SecretCollection) -> Bool) {
            var text = ""
            for byte in label.utf8.prefix(Self.largestLabel) {
                if Self.isPlain(byte) {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "_" + Hexadecimal.text([byte])
                }
            }
            if text.isEmpty { text = "unnamed" }
            var new = SecretCollection(known: text)
            var number = 0
            while isTaken(new) {
                number += 1
                new = SecretCollection(known: "\(text)_\(number)")
            }
            self = new
        }

        private static func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }

        /// Whether a program made it.
        var isMade: Bool { self != .login && self != .session }

        /// The service name under which the vault stores the items made over D-Bus.
        var service: String {
            self == .session ? SecretName.sessionService : SecretName.programService
        }

        var path: String { SecretObject.root + "/collection/" + name }

        private static let recordPrefix = "collection/"

        /// The vault's name of the record with the label.
        func recordName() throws -> SecretName {
            try SecretName(service: SecretName.programService, account: Self.recordPrefix + name)
        }

        /// The collection whose label a stored item is; nil for another item.
        init?(recordedBy item: SecretItem) {
            let account = item.name.account
            guard item.name.service.utf8.elementsEqual(SecretName.programService.utf8),
                account.utf8.starts(with: Self.recordPrefix.utf8)
            else { return nil }
            self.init(String(account.dropFirst(Self.recordPrefix.count)))
        }
    }

    /// The id of an item. Its object path stays the same after a restart.
    package struct SecretItemID: Hashable, Sendable {
        /// 32 hexadecimal digits: the account of an item made over D-Bus. After an `e` they are the
        /// hash of an owner entry; after a `q`, random, they stand for the result of a search.
        let text: String
        let collection: SecretCollection

        /// Whether the item is an owner entry, which clients can only read.
        var isOwnerEntry: Bool { text.utf8.first == UInt8(ascii: "e") && text.utf8.count == 33 }

        /// Whether the item stands for the result of a search before the first unlock.
        var isSearch: Bool { text.utf8.first == UInt8(ascii: "q") }

        var path: String { collection.path + "/" + text }

        /// Reads the last part of an object path; nil if it is not an id.
        init?(_ text: String, in collection: SecretCollection) {
            let hasMark = text.utf8.count == 33 && (text.hasPrefix("e") || text.hasPrefix("q"))
            let digits = hasMark ? text.dropFirst() : text[...]
            guard Hexadecimal.isText(String(digits), ofBytes: 16) else { return nil }
            self.text = text
            self.collection = collection
            guard !isOwnerEntry || collection == .login else { return nil }
        }

        /// Makes a random id.
        package init(randomIn collection: SecretCollection) {
            text = Hexadecimal.text(RandomSource.system.bytes(count: 16))
            self.collection = collection
        }

        /// Makes the id of an early search.
        init(ofSearchIn collection: SecretCollection) {
            text = "q" + Hexadecimal.text(RandomSource.system.bytes(count: 16))
            self.collection = collection
        }

        /// The id of an owner entry in the vault with this id.
        init(ofEntry name: SecretName, _ vaultID: [UInt8]) {
            let digest = Blake2b.hash(size: 16) { input in
                input.feed("TVSS")
                input.feed(vaultID)
                input.feed(UInt32(name.service.utf8.count))
                input.feed(name.service)
                input.feed(name.account)
            }
            text = "e" + Hexadecimal.text(digest)
            collection = .login
        }

        /// The vault's name of an item made over D-Bus.
        func name() throws -> SecretName {
            try SecretName(service: collection.service, account: text)
        }
    }

    /// The attributes of an item, and their form in the vault (`Docs/Format.md`, section 13).
    struct ProgramSecret {
        var label: String
        var attributes: [String: String]
        var contentType = Self.standardType
        var collection = SecretCollection.login
        /// In seconds since 1970-01-01 UTC.
        var created: UInt64 = 0
        /// In seconds since 1970-01-01 UTC.
        var modified: UInt64 = 0

        static let standardType = "text/plain"
        /// The attribute `xdg:schema` of owner entries.
        static let ownerEntrySchema = "org.taskvault.Entry"

        private static let typeKey = "content-type"
        private static let labelKey = "label"
        private static let collectionKey = "collection"
        /// The prefixes of an attribute's name in the vault. Earlier builds wrote the second one.
        private static let prefixes = [":", "a:"]

        init(label: String, attributes: [String: String]) {
            self.label = label
            self.attributes = attributes
        }

        /// Reads a stored item that was made over D-Bus.
        init(stored item: SecretItem) {
            label = item.attributes[Self.labelKey] ?? item.attributes.label
            contentType = item.attributes[Self.typeKey] ?? Self.standardType
            collection = Self.collection(of: item) ?? .login
            attributes = Self.attributes(of: item)
            setTimes(item)
        }

        /// The attributes of an owner entry.
        init(entry item: SecretItem) {
            label = item.attributes.label
            if label.isEmpty { label = item.name.service + "/" + item.name.account }
            attributes = Self.attributes(ofEntry: item.name)
            setTimes(item)
        }

        private mutating func setTimes(_ item: SecretItem) {
            created = UInt64(max(0, item.created)) / 1_000
            modified = UInt64(max(0, item.modified)) / 1_000
        }

        /// The collection of a stored item; nil if programs did not make it.
        static func collection(of item: SecretItem) -> SecretCollection? {
            let service = item.name.service.utf8
            if service.elementsEqual(SecretName.sessionService.utf8) { return .session }
            guard service.elementsEqual(SecretName.programService.utf8) else { return nil }
            guard let name = item.attributes[collectionKey] else { return .login }
            return SecretCollection(name)
        }

        /// The D-Bus attributes of a stored item.
        static func attributes(of item: SecretItem) -> [String: String] {
            var attributes: [String: String] = [:]
            for attribute in item.attributes.extra {
                guard
                    let prefix = prefixes.first(where: {
                        attribute.key.utf8.starts(with: $0.utf8)
                    })
                else { continue }
                // Drop Unicode scalars: as characters, the colon and a combining mark after it are
                // one.
                let key = attribute.key.unicodeScalars.dropFirst(prefix.unicodeScalars.count)
                attributes[String(key)] = attribute.text
            }
            return attributes
        }

        /// The attributes of an owner entry. `username` is the name by which Python's keyring, and so
        /// pip and twine, asks for the account.
        static func attributes(ofEntry name: SecretName) -> [String: String] {
            [
                "service": name.service, "account": name.account, "username": name.account,
                "xdg:schema": ownerEntrySchema,
            ]
        }

        /// The label and attributes for the vault. A label that the vault does not allow is stored
        /// as an attribute.
        var stored: SecretAttributes {
            let isPlain = TextRule.label.violation(label) == nil
            var extra = attributes.map {
                ExtraAttribute(key: Self.prefixes[0] + $0.key, text: $0.value)
            }
            if contentType != Self.standardType {
                extra.append(ExtraAttribute(key: Self.typeKey, text: contentType))
            }
            if collection.isMade {
                extra.append(ExtraAttribute(key: Self.collectionKey, text: collection.name))
            }
            if !isPlain { extra.append(ExtraAttribute(key: Self.labelKey, text: label)) }
            return SecretAttributes(label: isPlain ? label : "", extra: extra)
        }
    }

    /// The object of a D-Bus object path.
    enum SecretObject: Hashable {
        case service
        case collection(SecretCollection)
        case item(SecretItemID)
        case session(String)
        case prompt(String)

        static let root = "/org/freedesktop/secrets"

        /// The object of a path, which may contain an alias; nil for an unknown path.
        init?(path: String) {
            guard path.hasPrefix(Self.root) else { return nil }
            let parts = path.dropFirst(Self.root.count).split(
                separator: "/", omittingEmptySubsequences: false
            ).dropFirst().map(String.init)
            switch (parts.first, parts.count) {
            case (nil, _) where path == Self.root: self = .service
            case ("collection", 2...3), ("aliases", 2...3):
                guard let collection = Self.collection(parts[1], isAlias: parts[0] == "aliases")
                else { return nil }
                if parts.count == 2 {
                    self = .collection(collection)
                } else if let item = SecretItemID(parts[2], in: collection) {
                    self = .item(item)
                } else {
                    return nil
                }
            case ("session", 2): self = .session(path)
            case ("prompt", 2): self = .prompt(path)
            default: return nil
            }
        }

        /// The object path.
        var path: String {
            switch self {
            case .service: Self.root
            case .collection(let collection): collection.path
            case .item(let id): id.path
            case .session(let path), .prompt(let path): path
            }
        }

        /// The collection that an object is or belongs to.
        var collection: SecretCollection? {
            switch self {
            case .collection(let collection): collection
            case .item(let id): id.collection
            case .service, .session, .prompt: nil
            }
        }

        /// The collection of this name or alias. A made collection has no alias.
        static func collection(_ name: String, isAlias: Bool) -> SecretCollection? {
            if isAlias && name == "default" { return .login }
            let collection = SecretCollection(name)
            return isAlias && collection?.isMade == true ? nil : collection
        }
    }
#endif
