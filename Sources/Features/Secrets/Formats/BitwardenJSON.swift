internal import TextCoding

/// The reader of Bitwarden's unencrypted JSON; an item becomes an entry as ``ImportedRecord`` describes.
///
/// Members that it does not know are fields of the entry if they are texts or numbers, and reported otherwise.
enum BitwardenJSON {
    private typealias Reader = JSONReader<ExchangeError>

    /// The names of some members as fields; the others keep theirs with hyphens: `firstName` is `first-name`.
    private static let fields = ["cardholderName": "holder", "keyFingerprint": "fingerprint"]
    /// Members of an item that mean nothing outside of Bitwarden.
    private static let ignored: Set<String> = [
        "id", "object", "organizationId", "secureNote", "viewPassword", "edit", "key",
        "organizationUseTotp", "permissions",
    ]

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = Reader(bytes)
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
                // Once more below: the folders may come later.
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
            var item = Item(line: try reader.lineOfObject(in: bytes))
            try reader.forEachMember(in: bytes) { reader, key in
                try item.read(key, &reader, in: bytes, folders)
            }
            if item.isDeleted { return run.skip(item.record.line, .deleted) }
            try item.finished.deliver(in: bytes, &run, receive)
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

    /// An item while it is read.
    private struct Item {
        var record: ImportedRecord
        var isDeleted = false
        private var month = FileValue()
        private var year = FileValue()

        init(line: Int) {
            record = ImportedRecord(line: line)
        }

        /// The record with the parts of several members.
        var finished: ImportedRecord {
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
                if try reader.isSet(in: bytes) { record.addAttribute("reprompt", "1") }
            case "creationDate": try addAttribute("created", &reader, in: bytes)
            case "revisionDate": try addAttribute("modified", &reader, in: bytes)
            case "archivedDate": try addAttribute("archived", &reader, in: bytes)
            case "deletedDate": isDeleted = try reader.skipContent(in: bytes)
            case "fields":
                try reader.forEachElement(in: bytes) { reader in
                    try readField(&reader, in: bytes)
                }
            case "passwordHistory": try leaveOut(.earlierValues, &reader, in: bytes)
            case "attachments": try leaveOut(.attachment, &reader, in: bytes)
            case _ where BitwardenJSON.ignored.contains(key): try reader.skipValue(in: bytes)
            default:
                guard try reader.nextKind(in: bytes) == .object else {
                    return try addMember(key, &reader, in: bytes)
                }
                // Login, card, identity and so on.
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
                        case "match": try leaveOut(.addressMatch, &reader, in: bytes)
                        case "uri":
                            guard let value = try reader.value(in: bytes) else {
                                return try leaveOut(.other, &reader, in: bytes)
                            }
                            try record.addAddress(value, in: bytes)
                        default: try reader.skipValue(in: bytes)
                        }
                    }
                }
            case "fido2Credentials": try leaveOut(.passkey, &reader, in: bytes)
            case "passwordRevisionDate": try reader.skipValue(in: bytes)
            default:
                guard let value = try reader.value(in: bytes) else {
                    return try leaveOut(.other, &reader, in: bytes)
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
            var value = FileValue()
            var isLink = false
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "name": name = try reader.optionalText(in: bytes)
                case "type": isLink = try reader.number(in: bytes) == 3
                case "value":
                    if let found = try reader.value(in: bytes) {
                        value = found
                    } else {
                        try leaveOut(.other, &reader, in: bytes)
                    }
                default: try reader.skipValue(in: bytes)
                }
            }
            if isLink { record.leftOut.append(.link) }
            record.addOwn(name, value)
        }

        private mutating func addAttribute(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            guard let value = try reader.value(in: bytes) else {
                return try leaveOut(.other, &reader, in: bytes)
            }
            try record.addAttribute(key, value, in: bytes)
        }

        private mutating func leaveOut(
            _ part: LeftOutPart, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            if try reader.skipContent(in: bytes) { record.leftOut.append(part) }
        }
    }
}

extension String {
    /// A name of a program's own as a field: `firstName` is `first-name`.
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
