internal import TextCoding

/// The reader of `export.data` in a 1PUX archive of 1Password; an item becomes an entry as ``ImportedRecord`` describes.
///
/// Members of values that it does not know are fields of the entry if they are texts or numbers, and reported otherwise.
enum OnePasswordJSON {
    private typealias Reader = JSONReader<ExchangeError>

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = Reader(bytes)
        var run = ImportRun(.onePUX, mode)
        var number = 0
        try reader.forEachMember(in: bytes) { reader, key in
            guard key == "accounts" else { return try reader.skipValue(in: bytes) }
            try reader.forEachElement(in: bytes) { reader in
                try reader.forEachMember(in: bytes) { reader, key in
                    guard key == "vaults" else { return try reader.skipValue(in: bytes) }
                    try reader.forEachElement(in: bytes) { reader in
                        try readVault(&reader, in: bytes, &number, &run, receive)
                    }
                }
            }
        }
        try reader.expectEnd(in: bytes)
        return run
    }

    private static func readVault(
        _ reader: inout Reader, in bytes: RawSpan, _ number: inout Int, _ run: inout ImportRun,
        _ receive: SecretReceiver
    ) throws {
        var name = ""
        var items: Reader?
        try reader.forEachMember(in: bytes) { reader, key in
            switch key {
            case "attrs":
                try reader.forEachMember(in: bytes) { reader, key in
                    switch key {
                    case "name": name = try reader.optionalText(in: bytes)
                    case "desc":
                        // At the first item of the vault.
                        if try reader.skipContent(in: bytes) {
                            run.leaveOut(number + 1, [.description])
                        }
                    default: try reader.skipValue(in: bytes)
                    }
                }
            case "items":
                // Once more below: the name may come later.
                items = reader
                try reader.skipValue(in: bytes)
            default: try reader.skipValue(in: bytes)
            }
        }
        guard var items else { return }
        try items.forEachElement(in: bytes) { reader in
            if try reader.skipNull(in: bytes) { return }
            number += 1
            var item = Item(number: number)
            try item.read(&reader, in: bytes)
            try item.finish(in: bytes)
            item.record.addTag(name)
            if item.isDeleted { return run.skip(number, .deleted) }
            try item.record.deliver(in: bytes, &run, receive)
        }
    }

    /// An item while it is read.
    private struct Item {
        var record: ImportedRecord
        var isDeleted = false
        private var isInner = false
        /// Fields `username` and `password` of a section. Those of the item come first, wherever they stand.
        private var ofSections: [(isPassword: Bool, field: String, value: FileValue)] = []

        /// The categories with a kind of their own.
        private static let kinds: [String: RecordKind] = [
            "001": .login, "002": .card, "003": .note, "004": .identity, "005": .login,
            "114": .sshKey,
        ]
        /// The ids of the fields of a card, and their names as fields.
        private static let cardFields = [
            "cardholder": "holder", "ccnum": "number", "cvv": "code", "expiry": "expiry",
        ]

        init(number: Int) {
            record = ImportedRecord(line: number)
        }

        /// Takes user name and password from a section if the item has none.
        mutating func finish(in bytes: RawSpan) throws {
            for (isPassword, field, value) in ofSections {
                if isPassword, record.password.isEmpty {
                    record.password = value
                } else if !isPassword, record.account.isEmpty,
                    let account = try value.text(in: bytes)
                {
                    record.account = account
                } else {
                    record.addOwn(field, value)
                }
            }
        }

        mutating func read(_ reader: inout Reader, in bytes: RawSpan) throws {
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                // Earlier versions have an object around an item.
                case "item" where !isInner:
                    isInner = true
                    try read(&reader, in: bytes)
                case "file": try leaveOut(.attachment, &reader, in: bytes)
                case "overview": try readOverview(&reader, in: bytes)
                case "details": try readDetails(&reader, in: bytes)
                case "categoryUuid":
                    record.kind = Self.kinds[try reader.optionalText(in: bytes)] ?? .other
                case "state":
                    let state = try reader.optionalText(in: bytes)
                    if state == "archived" { record.addAttribute("archived", "true") }
                    isDeleted = state == "trashed" || state == "deleted"
                case "trashed": isDeleted = try reader.isSet(in: bytes)
                case "favIndex":
                    if try reader.isSet(in: bytes) { record.addAttribute("favorite", "1") }
                case "createdAt": try addTime("created", &reader, in: bytes)
                case "updatedAt": try addTime("modified", &reader, in: bytes)
                case "uuid": try reader.skipValue(in: bytes)
                default: try leaveOut(.other, &reader, in: bytes)
                }
            }
        }

        private mutating func addTime(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            guard try reader.nextKind(in: bytes) == .number else {
                return try leaveOut(.other, &reader, in: bytes)
            }
            let text = try reader.numberText(in: bytes)
            record.addAttribute(key, Self.time(text) ?? text)
        }

        /// Seconds since 1970 as RFC 3339 writes them.
        private static func time(_ text: String) -> String? {
            guard let seconds = Int64(text), seconds.magnitude < 1 << 40 else { return nil }
            return Timestamp.rfc3339(milliseconds: seconds * 1_000)
        }

        private mutating func readOverview(_ reader: inout Reader, in bytes: RawSpan) throws {
            var address = FileValue()
            var addresses: [FileValue] = []
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "title": record.title = try reader.optionalText(in: bytes)
                case "url": address = try value(&reader, in: bytes)
                case "urls":
                    try reader.forEachElement(in: bytes) { reader in
                        try reader.forEachMember(in: bytes) { reader, key in
                            guard key == "url" else { return try reader.skipValue(in: bytes) }
                            addresses.append(try value(&reader, in: bytes))
                        }
                    }
                case "tags":
                    try reader.forEachElement(in: bytes) { reader in
                        record.addTag(try reader.optionalText(in: bytes))
                    }
                // The rest repeats other members or is about the program's screens.
                default: try reader.skipValue(in: bytes)
                }
            }
            // The first of several addresses is also the one alone.
            for address in addresses.isEmpty ? [address] : addresses {
                try record.addAddress(address, in: bytes)
            }
        }

        private mutating func readDetails(_ reader: inout Reader, in bytes: RawSpan) throws {
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "loginFields":
                    try reader.forEachElement(in: bytes) { reader in
                        try readLoginField(&reader, in: bytes)
                    }
                case "notesPlain": record.add("notes", try value(&reader, in: bytes))
                case "password": record.password = try value(&reader, in: bytes)
                case "sections":
                    try reader.forEachElement(in: bytes) { reader in
                        try readSection(&reader, in: bytes)
                    }
                case "passwordHistory": try leaveOut(.earlierValues, &reader, in: bytes)
                case "documentAttributes": try leaveOut(.attachment, &reader, in: bytes)
                case "passkey": try leaveOut(.passkey, &reader, in: bytes)
                default: try leaveOut(.other, &reader, in: bytes)
                }
            }
        }

        private mutating func readLoginField(_ reader: inout Reader, in bytes: RawSpan) throws {
            var (name, id, designation) = ("", "", "")
            var found = FileValue()
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "name": name = try reader.optionalText(in: bytes)
                case "id": id = try reader.optionalText(in: bytes)
                case "designation": designation = try reader.optionalText(in: bytes)
                case "value": found = try value(&reader, in: bytes)
                default: try reader.skipValue(in: bytes)
                }
            }
            switch designation {
            case "username": record.account = try found.text(in: bytes) ?? ""
            case "password": record.password = found
            default: record.addOwn(name.isEmpty ? id : name, found)
            }
        }

        private mutating func readSection(_ reader: inout Reader, in bytes: RawSpan) throws {
            var title = ""
            var fields: Reader?
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "title": title = try reader.optionalText(in: bytes)
                case "fields":
                    // Once more below: the title may come later.
                    fields = reader
                    try reader.skipValue(in: bytes)
                default: try reader.skipValue(in: bytes)
                }
            }
            try fields?.forEachElement(in: bytes) { reader in
                try readField(&reader, of: title, in: bytes)
            }
        }

        /// Reads a field. One that the person has named gets the title of its section, as `op` writes it: `Security.PIN`.
        private mutating func readField(
            _ reader: inout Reader, of section: String, in bytes: RawSpan
        ) throws {
            var (title, id) = ("", "")
            var values: [(type: String, value: FileValue)] = []
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "title": title = try reader.optionalText(in: bytes)
                case "id": id = try reader.optionalText(in: bytes)
                case "value":
                    guard try reader.nextKind(in: bytes) == .object else {
                        return values.append(("string", try value(&reader, in: bytes)))
                    }
                    try reader.forEachMember(in: bytes) { reader, type in
                        try readValue(type, &reader, in: bytes, &values)
                    }
                default: try reader.skipValue(in: bytes)
                }
            }
            let known = record.kind == .card ? Self.cardFields[id] : nil
            let own = title.isEmpty ? id : title
            let name = known ?? (section.isEmpty ? own : section + "." + own)
            let ofLogin = ["username", "password"].first { [id, title.lowercased()].contains($0) }
            for (type, value) in values {
                switch type {
                case "string", "concealed":
                    if known == nil, let ofLogin, record.kind != .identity {
                        ofSections.append((ofLogin == "password", name, value))
                    } else if known != nil {
                        record.add(name, value)
                    } else {
                        record.addOwn(name, value)
                    }
                case "totp": record.add("totp", value)
                case "sshKey": record.add("private-key", value)
                case "publicKey", "fingerprint": record.add(type.hyphenated, value)
                case _ where known != nil: record.add(name, value)
                default: record.addOwn(name, value)
                }
            }
        }

        /// Reads the value of a field, which is an object with its type as the only name.
        private mutating func readValue(
            _ type: String, _ reader: inout Reader, in bytes: RawSpan,
            _ values: inout [(type: String, value: FileValue)]
        ) throws {
            let kind = try reader.nextKind(in: bytes)
            switch (type, kind) {
            case ("file", _): try leaveOut(.attachment, &reader, in: bytes)
            // The identifier of an item, which does not exist here.
            case ("reference", _): try leaveOut(.link, &reader, in: bytes)
            case ("date", .number):
                let text = try reader.numberText(in: bytes)
                let day = Self.time(text).map { String($0.prefix { $0 != "T" }) }
                values.append((type, FileValue(.literal(day ?? text))))
            case ("monthYear", .number):
                let range = try reader.rangeOfValue(in: bytes)
                guard range.count == 6 else {
                    return values.append((type, FileValue(.plain(range))))
                }
                let month = range.upperBound - 2
                values.append(
                    (
                        type,
                        FileValue(
                            .plain(month..<range.upperBound), .literal("/"),
                            .plain(range.lowerBound..<month))
                    ))
            case ("address", .object):
                // One value of several lines.
                var address = FileValue()
                try reader.forEachMember(in: bytes) { reader, _ in
                    let line = try value(&reader, in: bytes)
                    if !line.isEmpty, !address.isEmpty { address.pieces.append(.literal("\n")) }
                    address.pieces += line.pieces
                }
                values.append((type, address))
            case (_, .object):
                // Such as `email_address` beside its provider, and the parts of an SSH key.
                try reader.forEachMember(in: bytes) { reader, member in
                    switch member {
                    case "metadata" where type == "sshKey":
                        try reader.forEachMember(in: bytes) { reader, key in
                            let part = try value(&reader, in: bytes)
                            if ["publicKey", "fingerprint"].contains(key) {
                                values.append((key, part))
                            }
                        }
                    case "provider" where type == "email":
                        try leaveOut(.other, &reader, in: bytes)
                    default: values.append((type, try value(&reader, in: bytes)))
                    }
                }
            default: values.append((type, try value(&reader, in: bytes)))
            }
        }

        /// The value of a member; another kind of value is reported.
        private mutating func value(
            _ reader: inout Reader, in bytes: RawSpan
        ) throws -> FileValue {
            if let value = try reader.value(in: bytes) { return value }
            try leaveOut(.other, &reader, in: bytes)
            return FileValue()
        }

        private mutating func leaveOut(
            _ part: LeftOutPart, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            if try reader.skipContent(in: bytes) { record.leftOut.append(part) }
        }
    }
}
