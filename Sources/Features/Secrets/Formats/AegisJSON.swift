internal import TextCoding

/// The reader of the unencrypted JSON of the authenticator Aegis. An item becomes an entry, see
/// ``ImportedRecord``.
enum AegisJSON {
    private typealias Reader = JSONReader<ExchangeError>

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = Reader(bytes, replacingDamage: true)
        var groups: [String: String] = [:]
        var items: Reader?
        try reader.forEachMember(in: bytes) { reader, key in
            guard key == "db" else { return try reader.skipValue(in: bytes) }
            // The encrypted content is Base64.
            if try reader.nextKind(in: bytes) == .string { throw ExchangeError.encrypted }
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "groups":
                    try reader.forEachElement(in: bytes) { reader in
                        let group = try texts(["uuid", "name"], &reader, in: bytes)
                        groups[group[0]] = group[1]
                    }
                case "entries":
                    // The items are read below, because the groups may follow them.
                    items = reader
                    try reader.skipValue(in: bytes)
                default: try reader.skipValue(in: bytes)
                }
            }
        }
        try reader.expectEnd(in: bytes)
        guard var items else { throw ExchangeError.unknownFormat }
        var run = ImportRun(.aegis, mode)
        try items.forEachElement(in: bytes) { reader in
            if try reader.skipNull(in: bytes) { return }
            let damagedPlaces = reader.damagedPlaces
            var item = Item(line: try reader.lineOfObject(in: bytes))
            try item.read(&reader, in: bytes, groups)
            if reader.damagedPlaces > damagedPlaces {
                return run.skip(item.record.line, .damagedText, item.record.heading)
            }
            try item.record.deliver(in: bytes, &run, receive)
        }
        return run
    }

    /// The texts of these members of an object.
    private static func texts(
        _ names: [String], _ reader: inout Reader, in bytes: RawSpan
    ) throws -> [String] {
        var found = names.map { _ in "" }
        try reader.forEachMember(in: bytes) { reader, key in
            guard let place = names.firstIndex(of: key) else {
                return try reader.skipValue(in: bytes)
            }
            found[place] = try reader.optionalText(in: bytes)
        }
        return found
    }

    /// An item during parsing.
    private struct Item {
        var record: ImportedRecord
        private var secret = ImportedValue()
        private var parameters: [(name: String, text: String)] = []
        private var others: [(name: String, value: ImportedValue)] = []

        init(line: Int) {
            record = ImportedRecord(line: line)
            record.kind = .other
        }

        mutating func read(
            _ reader: inout Reader, in bytes: RawSpan, _ groups: [String: String]
        ) throws {
            var (type, name, issuer) = ("", "", "")
            try reader.forEachMember(in: bytes) { reader, key in
                switch key {
                case "type": type = try reader.optionalText(in: bytes)
                case "name": name = try reader.optionalText(in: bytes)
                case "issuer": issuer = try reader.optionalText(in: bytes)
                case "note": record.add("notes", try reader.value(in: bytes) ?? ImportedValue())
                case "favorite":
                    if try reader.isSet(in: bytes) { record.addAttribute("favorite", "1") }
                case "group": record.addTag(try reader.optionalText(in: bytes))
                case "groups":
                    try reader.forEachElement(in: bytes) { reader in
                        let id = try reader.optionalText(in: bytes)
                        if let name = groups[id] { record.addTag(name) }
                    }
                case "info": try readInfo(&reader, in: bytes)
                // The id and the picture.
                case "uuid", "icon", "icon_mime", "icon_hash": try reader.skipValue(in: bytes)
                default:
                    if try reader.skipContent(in: bytes) { record.unsupported.append(.other) }
                }
            }
            record.title = issuer.isEmpty ? name : issuer
            if !issuer.isEmpty { record.account = name }
            addSeed(type)
        }

        private mutating func readInfo(_ reader: inout Reader, in bytes: RawSpan) throws {
            try reader.forEachMember(in: bytes) { reader, key in
                switch (key, try reader.nextKind(in: bytes)) {
                case ("secret", .string): secret = try reader.value(in: bytes) ?? secret
                case ("algo", .string):
                    parameters.append(("algorithm", try reader.text(in: bytes)))
                case ("digits", .number), ("period", .number), ("counter", .number):
                    parameters.append((key, try reader.numberText(in: bytes)))
                default:
                    if let value = try reader.value(in: bytes) {
                        others.append((key, value))
                    } else if try reader.skipContent(in: bytes) {
                        record.unsupported.append(.other)
                    }
                }
            }
        }

        private mutating func addSeed(_ type: String) {
            let start: String
            switch type {
            case "totp": start = "otpauth://totp/?secret="
            case "hotp": start = "otpauth://hotp/?secret="
            case "steam": start = "otpauth://totp/?encoder=steam&secret="
            default:
                record.add("secret", secret)
                record.addOwn("type", ImportedValue(.literal(type)))
                for (name, text) in parameters {
                    record.addOwn(name, ImportedValue(.literal(text)))
                }
                for (name, value) in others { record.addOwn(name, value) }
                return record.unsupported.append(.seed)
            }
            let isUsual: [String: String] = ["algorithm": "SHA1", "digits": "6", "period": "30"]
            var seed = ImportedValue(pieces: [.literal(start)] + secret.pieces)
            for (name, text) in parameters where isUsual[name] != text {
                seed.pieces.append(.literal("&\(name)=\(text)"))
            }
            record.add("totp", seed)
            for (name, value) in others { record.addOwn(name, value) }
        }
    }
}
