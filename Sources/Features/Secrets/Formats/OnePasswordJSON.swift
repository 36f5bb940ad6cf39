internal import TextCoding

/// The reader of `export.data` in a 1PUX archive of 1Password. An item becomes an entry, see
/// ``ImportedRecord``.
///
/// Unknown members become fields if they are strings or numbers. Others are reported as
/// unsupported.
enum OnePasswordJSON {
    private typealias Reader = JSONReader<ExchangeError>

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = Reader(bytes, replacingDamage: true)
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
                        // Reported with the first item of the vault.
                        if try reader.skipContent(in: bytes) {
                            run.reportUnsupported(number + 1, [.description], "")
                        }
                    default: try reader.skipValue(in: bytes)
                    }
                }
            case "items":
                // The items are read below, because the name may follow them.
                items = reader
                try reader.skipValue(in: bytes)
            default: try reader.skipValue(in: bytes)
            }
        }
        guard var items else { return }
        try items.forEachElement(in: bytes) { reader in
            if try reader.skipNull(in: bytes) { return }
            number += 1
            let damagedPlaces = reader.damagedPlaces
            var item = Item(number: number)
            try item.read(&reader, in: bytes)
            try item.finish(in: bytes)
            item.record.addTag(name)
            if item.isDeleted { return run.skip(number, .deleted, item.record.heading) }
            if reader.damagedPlaces > damagedPlaces {
                return run.skip(number, .damagedText, item.record.heading)
            }
            try item.record.deliver(in: bytes, &run, receive)
        }
    }

    /// An item during parsing.
    private struct Item {
        var record: ImportedRecord
        var isDeleted = false
        private var isInner = false
        /// The fields `username` and `password` of sections. The item's own fields have precedence,
        /// in any order.
        private var ofSections: [(isPassword: Bool, field: String, value: ImportedValue)] = []

        /// The categories that have a record kind.
        private static let kinds: [String: RecordKind] = [
            "001": .login, "002": .card, "003": .note, "004": .identity, "005": .login,
            "114": .sshKey,
        ]
        /// The ids of a card's fields, and their field names.
        private static let cardFields = [
            "cardholder": "holder", "ccnum": "number", "cvv": "code", "expiry": "expiry",
        ]

        init(number: Int) {
            record = ImportedRecord(line: number)
        }

        /// Takes the user name and password from a section if the item itself has none.
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
                // Older versions wrap each item in an object.
                case "item" where !isInner:
                    isInner = true
                    try read(&reader, in: bytes)
                case "file": try skipUnsupported(.attachment, &reader, in: bytes)
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
                default: try skipUnsupported(.other, &reader, in: bytes)
                }
            }
        }

        private mutating func addTime(
            _ key: String, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            guard try reader.nextKind(in: bytes) == .number else {
                return try skipUnsupported(.other, &reader, in: bytes)
            }
            let text = try reader.numberText(in: bytes)
            record.addAttribute(key, Self.time(text) ?? text)
        }

        /// Converts seconds since 1970 to RFC 3339.
        private static func time(_ text: String) -> String? {
            guard let seconds = Int64(text), seconds.magnitude < 1 << 40 else { return nil }
            return Timestamp.rfc3339(milliseconds: seconds * 1_000)
        }

        private mutating func readOverview(_ reader: inout Reader, in bytes: RawSpan) throws {
            var address = ImportedValue()
            var addresses: [ImportedValue] = []
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
                // The other members repeat values, or describe the program's display.
                default: try reader.skipValue(in: bytes)
                }
            }
            // With several URLs, the first one also appears as the single URL.
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
                case "passwordHistory": try skipUnsupported(.earlierValues, &reader, in: bytes)
                case "documentAttributes": try skipUnsupported(.attachment, &reader, in: bytes)
                case "passkey": try skipUnsupported(.passkey, &reader, in: bytes)
                default: try skipUnsupported(.other, &reader, in: bytes)
                }
            }
        }

        private mutating func readLoginField(_ reader: inout Reader, in bytes: RawSpan) throws {
            var (name, id, designation) = ("", "", "")
            var found = ImportedValue()
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
                    // The fields are read below, because the title may follow them.
                    fields = reader
                    try reader.skipValue(in: bytes)
                default: try reader.skipValue(in: bytes)
                }
            }
            try fields?.forEachElement(in: bytes) { reader in
                try readField(&reader, of: title, in: bytes)
            }
        }

        /// Reads a field. A field that the user has named is prefixed with its section's title, as
        /// in `op`: `Security.PIN`.
        private mutating func readField(
            _ reader: inout Reader, of section: String, in bytes: RawSpan
        ) throws {
            var (title, id) = ("", "")
            var values: [(type: String, value: ImportedValue)] = []
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

        /// Reads the value of a field: an object whose only name is the type.
        private mutating func readValue(
            _ type: String, _ reader: inout Reader, in bytes: RawSpan,
            _ values: inout [(type: String, value: ImportedValue)]
        ) throws {
            let kind = try reader.nextKind(in: bytes)
            switch (type, kind) {
            case ("file", _): try skipUnsupported(.attachment, &reader, in: bytes)
            // The id of an item, which does not exist in this vault.
            case ("reference", _): try skipUnsupported(.link, &reader, in: bytes)
            case ("date", .number):
                let text = try reader.numberText(in: bytes)
                let day = Self.time(text).map { String($0.prefix { $0 != "T" }) }
                values.append((type, ImportedValue(.literal(day ?? text))))
            case ("monthYear", .number):
                let range = try reader.rangeOfValue(in: bytes)
                guard range.count == 6 else {
                    return values.append((type, ImportedValue(.plain(range))))
                }
                let month = range.upperBound - 2
                values.append(
                    (
                        type,
                        ImportedValue(
                            .plain(month..<range.upperBound), .literal("/"),
                            .plain(range.lowerBound..<month))
                    ))
            case ("address", .object):
                // The address becomes one value of several lines.
                var address = ImportedValue()
                try reader.forEachMember(in: bytes) { reader, _ in
                    let line = try value(&reader, in: bytes)
                    if !line.isEmpty, !address.isEmpty { address.pieces.append(.literal("\n")) }
                    address.pieces += line.pieces
                }
                values.append((type, address))
            case (_, .object):
                // For example `email_address` with its provider, and the parts of an SSH key.
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
                        try skipUnsupported(.other, &reader, in: bytes)
                    default: values.append((type, try value(&reader, in: bytes)))
                    }
                }
            default: values.append((type, try value(&reader, in: bytes)))
            }
        }

        /// The value of a member. A value of another type is reported as unsupported.
        private mutating func value(
            _ reader: inout Reader, in bytes: RawSpan
        ) throws -> ImportedValue {
            if let value = try reader.value(in: bytes) { return value }
            try skipUnsupported(.other, &reader, in: bytes)
            return ImportedValue()
        }

        private mutating func skipUnsupported(
            _ part: UnsupportedPart, _ reader: inout Reader, in bytes: RawSpan
        ) throws {
            if try reader.skipContent(in: bytes) { record.unsupported.append(part) }
        }
    }
}
