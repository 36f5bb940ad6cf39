#if os(Linux)
    internal import Sealing
    internal import SecureStorage
    internal import TextCoding

    /// The two collections.
    enum SecretCollection: String, CaseIterable {
        /// The vault.
        case login
        /// The agent's memory, until it locks.
        case session

        /// The service of its items that were made over D-Bus.
        var service: String {
            self == .login ? SecretName.programService : SecretName.sessionService
        }

        var path: String { SecretObject.root + "/collection/" + rawValue }
    }

    /// An item as clients see it. The path is the same after a restart.
    struct SecretItemID: Hashable, Sendable {
        /// 32 hexadecimal digits: the account of an item that was made over D-Bus, or after an `e` the hash of an entry of the owner.
        let text: String
        let collection: SecretCollection

        /// Whether it is an entry of the owner, which clients can only read.
        var isOwners: Bool { text.utf8.first == UInt8(ascii: "e") && text.utf8.count == 33 }

        var path: String { collection.path + "/" + text }

        /// The item of the last part of a path; nil if none could have it.
        init?(_ text: String, in collection: SecretCollection) {
            let digits = text.utf8.count == 33 && text.hasPrefix("e") ? text.dropFirst() : text[...]
            guard Hexadecimal.isText(String(digits), ofBytes: 16) else { return nil }
            self.text = text
            self.collection = collection
            guard !isOwners || collection == .login else { return nil }
        }

        /// A new item.
        init(randomIn collection: SecretCollection) {
            text = Hexadecimal.text(RandomSource.system.bytes(count: 16))
            self.collection = collection
        }

        /// An entry of the owner, in a vault.
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

        /// The name of an item that was made over D-Bus.
        func name() throws -> SecretName {
            try SecretName(service: collection.service, account: text)
        }
    }

    /// How an item is stored (`Docs/Format.md`, section 13).
    struct ProgramSecret {
        var label: String
        var attributes: [String: String]
        var contentType = Self.standardType
        /// In seconds since 1970-01-01 UTC.
        var created: UInt64 = 0
        /// In seconds since 1970-01-01 UTC.
        var modified: UInt64 = 0

        static let standardType = "text/plain"
        /// The value of the attribute `xdg:schema` of the owner's entries.
        static let ownersSchema = "org.taskvault.Entry"

        private static let typeKey = "content-type"
        private static let labelKey = "label"
        private static let prefix = "a:"

        init(label: String, attributes: [String: String]) {
            self.label = label
            self.attributes = attributes
        }

        /// A stored item that was made over D-Bus.
        init(stored item: SecretItem) {
            label = item.attributes[Self.labelKey] ?? item.attributes.label
            contentType = item.attributes[Self.typeKey] ?? Self.standardType
            attributes = Self.attributes(of: item)
            takeTimes(item)
        }

        /// An entry of the owner.
        init(entry item: SecretItem) {
            label = item.attributes.label
            if label.isEmpty { label = item.name.service + "/" + item.name.account }
            attributes = Self.attributes(ofEntry: item.name)
            takeTimes(item)
        }

        private mutating func takeTimes(_ item: SecretItem) {
            created = UInt64(max(0, item.created)) / 1_000
            modified = UInt64(max(0, item.modified)) / 1_000
        }

        /// The caller's attributes of a stored item.
        static func attributes(of item: SecretItem) -> [String: String] {
            var attributes: [String: String] = [:]
            for attribute in item.attributes.extra
            where attribute.key.utf8.starts(with: prefix.utf8) {
                // By scalars: Swift joins the colon and a combining mark after it.
                let key = attribute.key.unicodeScalars.dropFirst(prefix.unicodeScalars.count)
                attributes[String(key)] = attribute.text
            }
            return attributes
        }

        static func attributes(ofEntry name: SecretName) -> [String: String] {
            ["service": name.service, "account": name.account, "xdg:schema": ownersSchema]
        }

        /// Label and attributes as they are stored. A label that the vault would refuse is an attribute.
        var stored: SecretAttributes {
            let isPlain = TextRule.label.violation(label) == nil
            var extra = attributes.map { ExtraAttribute(key: Self.prefix + $0.key, text: $0.value) }
            if contentType != Self.standardType {
                extra.append(ExtraAttribute(key: Self.typeKey, text: contentType))
            }
            if !isPlain { extra.append(ExtraAttribute(key: Self.labelKey, text: label)) }
            return SecretAttributes(label: isPlain ? label : "", extra: extra)
        }
    }

    /// The object of a path.
    enum SecretObject: Hashable {
        case service
        case collection(SecretCollection)
        case item(SecretItemID)
        case session(String)
        case prompt(String)

        static let root = "/org/freedesktop/secrets"

        /// The object that a path names, directly or by an alias; nil for others.
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

        /// The collection of this name; of an alias, by `isAlias`.
        static func collection(_ name: String, isAlias: Bool) -> SecretCollection? {
            isAlias && name == "default" ? .login : SecretCollection(rawValue: name)
        }
    }
#endif
