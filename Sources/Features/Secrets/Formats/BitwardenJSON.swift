internal import TextCoding

/// The reader of Bitwarden's unencrypted JSON. An item becomes an entry, see ``ImportedRecord``.
///
/// Unknown members become fields if they are strings or numbers. Others are reported as
/// unsupported.
enum BitwardenJSON {
    private typealias Reader = JSONReader<ExchangeError>

    /// The field names of some members. Other members keep theirs with hyphens: `firstName` becomes
    /// `first-name`.
    private static let fields = ["cardholderName": "holder", "keyFingerprint": "fingerprint"]
    /// Members that have no meaning outside Bitwarden.
    private static let ignored: Set<String> = [
        "id", "object", "organizationId", "secureNote", "viewPassword", "edit", "key",
        "organizationUseTotp", "permissions",
    ]

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = Reader(bytes, replacingDamage: true)
        var folders: [String: String] = [:]
        var items: Reader?
        try reader.forEachMember(in: bytes) { reader, key in
            switch key {
            case "encrypted", "passwordProtected":
                if try reader.boolean(in: bytes) { throw ExchangeError.encrypted }
            case "folders", "collections":
                try reader.forEachElement(in: bytes) { reader in
                    try readFolder(&reader, in: bytes, &folders)
                }
            case "items":
                // The items are read below, because the folders may follow them.
                items = reader
                try reader.skipValue(in: bytes)
            default: try reader.skipValue(in: bytes)
            }
        }
        try reader.expectEnd(in: bytes)
        guard var items else { throw ExchangeError.unknownFormat }
        var run = ImportRun(.bitwardenJSON, mode)
        try items.forEachElement(in: bytes) { reader in
            if try reader.skipNull(in: bytes) { return }
            let damagedPlaces = reader.damagedPlaces
            var item = Item(line: try reader.lineOfObject(in: bytes))
            try reader.forEachMember(in: bytes) { reader, key in
                try item.read(key, &reader, in: bytes, folders)
            }
            let (line, title) = (item.record.line, item.record.heading)
            if item.isDeleted { return run.skip(line, .deleted, title) }
            if reader.damagedPlaces > damagedPlaces {
                return run.skip(line, .damagedText, title)
            }
            try item.completeRecord.deliver(in: bytes, &run, receive)
        }
        return run
    }

    private static func readFolder(
        _ reader: inout Reader, in bytes: RawSpan, _ folders: inout [String: String]
    ) throws {
        var (id, name) = ("", "")
        try reader.forEachMember(in: bytes) { reader, key in
            switch key {
            case "id": id = try reader.optionalText(in: bytes)
            case "name": name = try reader.optionalText(in: bytes)
            default: try reader.skipValue(in: bytes)
            }
        }
        folders[id] = name
    }

    /// An item during parsing.
    private struct Item {
        var record: ImportedRecord
        var isDeleted = false
        private var month = ImportedValue()
        private var year = ImportedValue()

        init(line: Int) {
            record = ImportedRecord(line: line)
        }

        /// The record, including values that several members form.
        var completeRecord: ImportedRecord {
            var record = record
            var expiry = month
            if !month.isEmpty, !year.isEmpty { expiry.pieces.append(.literal("/")) }
            expiry.pieces += year.pieces
            record.add("expiry", expiry)
            return record
        }

        mutating func read(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan, _ folders: [String: String]
        ) throws {
            switch key {
            case "name": record.title = try reader.optionalText(in: bytes)
            case "type":
                let kinds: [RecordKind] = [.other, .login, .note, .card, .identity, .sshKey]
                let type = try reader.number(in: bytes)
                record.kind = kinds.indices.contains(type) ? kinds[type] : .other
            case "folderId":
                if let name = folders[try reader.optionalText(in: bytes)] { record.addTag(name) }
            case "collectionIds":
                try reader.forEachElement(in: bytes) { reader in
                    let id = try reader.optionalText(in: bytes)
                    if let name = folders[id] { record.addTag(name) }
                }
            case "favorite":
                if try reader.isSet(in: bytes) { record.addAttribute("favorite", "1") }
            case "reprompt":
                if try reader.isSet(in: bytes) { record.isProtected = true }
            case "creationDate": try addAttribute("created", &reader, in: bytes)
            case "revisionDate": try addAttribute("modified", &reader, in: bytes)
            case "archivedDate": try addAttribute("archived", &reader, in: bytes)
            case "deletedDate": isDeleted = try reader.skipContent(in: bytes)
            case "fields":
                try reader.forEachElement(in: bytes) { reader in
                    try readField(&reader, in: bytes)
                }
            case "passwordHistory": try skipUnsupported(.earlierValues, &reader, in: bytes)
            case "attachments": try skipUnsupported(.attachment, &reader, in: bytes)
            case _ where BitwardenJSON.ignored.contains(key): try reader.skipValue(in: bytes)
            default:
                guard try reader.nextKind(in: bytes) == .object else {
                    return try addMember(key, &reader, in: bytes)
                }
                // The objects `login`, `card`, `identity` and others.
                try reader.forEachMember(in: bytes) { reader, member in
                    try addMember(member, &reader, in: bytes)
                }
            }
        }

        private mutating func addMember(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            switch key {
            case "uris":
                try reader.forEachElement(in: bytes) { reader in
                    try reader.forEachMember(in: bytes) { reader, member in
                        switch member {
                        case "match": try skipUnsupported(.addressMatch, &reader, in: bytes)
                        case "uri":
                            guard let value = try reader.value(in: bytes) else {
                                return try skipUnsupported(.other, &reader, in: bytes)
                            }
                            try record.addAddress(value, in: bytes)
                        default: try reader.skipValue(in: bytes)
                        }
                    }
                }
            case "fido2Credentials": try skipUnsupported(.passkey, &reader, in: bytes)
            case "passwordRevisionDate": try reader.skipValue(in: bytes)
            default:
                guard let value = try reader.value(in: bytes) else {
                    return try skipUnsupported(.other, &reader, in: bytes)
                }
                switch key {
                case "username":
                    record.account = try value.text(in: bytes) ?? ""
                case "password": record.password = value
                case "expMonth": month = value
                case "expYear": year = value
                default:
                    record.add(BitwardenJSON.fields[key] ?? key.hyphenated, value)
                }
            }
        }

        private mutating func readField(_ reader: inout Reader, in bytes: RawSpan) throws {
            var name = ""
            var value = ImportedValue()
            var isLink = false
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "name": name = try reader.optionalText(in: bytes)
                case "type": isLink = try reader.number(in: bytes) == 3
                case "value":
                    if let found = try reader.value(in: bytes) {
                        value = found
                    } else {
                        try skipUnsupported(.other, &reader, in: bytes)
                    }
                default: try reader.skipValue(in: bytes)
                }
            }
            if isLink { record.unsupported.append(.link) }
            record.addOwn(name, value)
        }

        private mutating func addAttribute(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            guard let value = try reader.value(in: bytes) else {
                return try skipUnsupported(.other, &reader, in: bytes)
            }
            try record.addAttribute(key, value, in: bytes)
        }

        private mutating func skipUnsupported(
            _ part: UnsupportedPart, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            if try reader.skipContent(in: bytes) { record.unsupported.append(part) }
        }
    }
}

extension String {
    /// The name of a member as a field name: `firstName` becomes `first-name`.
    var hyphenated: String {
        var result = ""
        for scalar in unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            if isCapital { result += "-" }
            result += isCapital ? String(scalar).lowercased() : String(scalar)
        }
        return result
    }
}
