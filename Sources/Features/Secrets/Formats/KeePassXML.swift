internal import SecretMemory
internal import TextCoding

/// The reader of XML from KeePassXC and KeePass 2. An entry becomes an entry, see
/// ``ImportedRecord``.
enum KeePassXML {
    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = XMLReader(bytes)
        guard try reader.nextChild(in: bytes) == "KeePassFile" else {
            throw ExchangeError.unknownFormat
        }
        var run = ImportRun(.keePassXML, mode)
        var recycleBin = ""
        while let part = try reader.nextChild(in: bytes) {
            while part == "Meta" || part == "Root", let child = try reader.nextChild(in: bytes) {
                switch child {
                case "RecycleBinUUID": recycleBin = try reader.text(in: bytes)
                case "Group":
                    var group = Group(recycleBin: recycleBin)
                    try group.read(&reader, in: bytes, &run, receive)
                default: try reader.skip(in: bytes)
                }
            }
            if part != "Meta", part != "Root" { try reader.skip(in: bytes) }
        }
        guard try reader.nextChild(in: bytes) == nil else { throw reader.invalid(in: bytes) }
        return run
    }

    /// A group during parsing.
    private struct Group {
        /// The id of the recycle bin.
        let recycleBin: String
        /// The names of the enclosing groups; nil for the root, whose name is the database's.
        var path: [String]?
        var isDeleted = false

        mutating func read(
            _ reader: inout XMLReader, in bytes: RawSpan, _ run: inout ImportRun,
            _ receive: SecretReceiver
        ) throws {
            var own: [String] = []
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "UUID":
                    let id = try reader.text(in: bytes)
                    if id == recycleBin, !id.isEmpty, path != nil { isDeleted = true }
                case "Name":
                    let name = try reader.text(in: bytes)
                    own = path.map { $0 + [name] } ?? []
                case "Notes":
                    let line = reader.currentLine(in: bytes)
                    if try !reader.value(in: bytes).isEmpty {
                        run.reportUnsupported(line, [.description])
                    }
                case "Group":
                    var group = Group(recycleBin: recycleBin, path: own, isDeleted: isDeleted)
                    try group.read(&reader, in: bytes, &run, receive)
                case "Entry":
                    var entry = Entry(line: reader.currentLine(in: bytes))
                    try entry.read(&reader, in: bytes)
                    if isDeleted {
                        run.skip(entry.record.line, .deleted)
                    } else {
                        entry.record.addTag(own.joined(separator: "/"))
                        try entry.record.deliver(in: bytes, &run, receive)
                    }
                default: try reader.skip(in: bytes)
                }
            }
        }
    }

    /// An entry during parsing.
    private struct Entry {
        var record: ImportedRecord
        /// The seeds of plug-ins, and their settings.
        private var seeds: [String: ImportedValue] = [:]
        private var hasSeed = false

        init(line: Int) {
            record = ImportedRecord(line: line)
        }

        mutating func read(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "String": try readString(&reader, in: bytes)
                case "Tags":
                    for tag in try reader.text(in: bytes).split(whereSeparator: {
                        ",;".contains($0)
                    }) {
                        record.addTag(String(tag))
                    }
                case "Times": try readTimes(&reader, in: bytes)
                case "OverrideURL": record.add("override-url", try reader.value(in: bytes))
                case "AutoType":
                    while let part = try reader.nextChild(in: bytes) {
                        let hasContent = try reader.skip(in: bytes)
                        if hasContent, part == "Association" || part == "DefaultSequence" {
                            record.unsupported.append(.autoType)
                        }
                    }
                case "Binary": try skipUnsupported(.attachment, &reader, in: bytes)
                case "History": try skipUnsupported(.earlierValues, &reader, in: bytes)
                case "CustomData": try skipUnsupported(.other, &reader, in: bytes)
                // The entry's id, icon and colours.
                default: try reader.skip(in: bytes)
                }
            }
            if !hasSeed, let seed = try KeePassSeed.seed(from: seeds, in: bytes) {
                record.add("totp", seed)
            } else {
                for (key, value) in seeds.sorted(by: { $0.key < $1.key }) {
                    record.addOwn(key, value)
                }
                if !hasSeed, !seeds.isEmpty { record.unsupported.append(.seed) }
            }
        }

        private mutating func readString(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            var key = ""
            var value = ImportedValue()
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "Key": key = try reader.text(in: bytes)
                case "Value":
                    // KeePass encrypted this value.
                    if reader.attributes["Protected"]?.lowercased() == "true" {
                        throw ExchangeError.encrypted
                    }
                    value = try reader.value(in: bytes)
                default: throw reader.invalid(in: bytes)
                }
            }
            guard !value.isEmpty else { return }
            let isOfLogin = ["Title", "UserName", "Password", "URL"].contains(key)
            if try value.isReference(in: bytes, also: isOfLogin) {
                record.unsupported.append(.link)
                if key == "Password" { record.lacksPassword = true }
                return
            }
            switch key {
            case "Title": record.title = try value.text(in: bytes) ?? ""
            case "UserName": record.account = try value.text(in: bytes) ?? ""
            case "Password": record.password = value
            case "URL": try record.addAddress(value, in: bytes)
            case "Notes": record.add("notes", value)
            case "otp":
                // The plug-in KeeOtp uses this name for another format.
                let isSeed = try value.withSecret(in: bytes) { value in
                    value.withBytes { $0.hasText("otpauth:", at: 0) }
                }
                guard isSeed else {
                    record.unsupported.append(.seed)
                    return record.addOwn(key, value)
                }
                hasSeed = true
                record.add("totp", value)
            case "TOTP Seed", "TOTP Settings": seeds[key] = value
            case _ where key.hasPrefix("TimeOtp-") || key.hasPrefix("HmacOtp-"):
                seeds[key] = value
            default: record.addOwn(key, value)
            }
        }

        private mutating func readTimes(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            var end = ImportedValue()
            var expires = false
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "CreationTime":
                    try record.addAttribute("created", reader.value(in: bytes), in: bytes)
                case "LastModificationTime":
                    try record.addAttribute("modified", reader.value(in: bytes), in: bytes)
                case "ExpiryTime": end = try reader.value(in: bytes)
                case "Expires": expires = try reader.text(in: bytes) == "True"
                default: try reader.skip(in: bytes)
                }
            }
            if expires { try record.addAttribute("expires", end, in: bytes) }
        }

        private mutating func skipUnsupported(
            _ part: UnsupportedPart, _ reader: inout XMLReader, in bytes: RawSpan
        ) throws {
            if try reader.skip(in: bytes) { record.unsupported.append(part) }
        }
    }
}

/// The one-time password seeds of KeePass and its plug-ins, for example of the placeholder
/// `{TIMEOTP}`.
private enum KeePassSeed {
    /// Joins a seed and its parameters into one URI.
    ///
    /// - Returns: The seed; nil for another kind, such as Steam's.
    static func seed(from fields: [String: ImportedValue], in bytes: RawSpan) throws
        -> ImportedValue?
    {
        func text(_ key: String) throws -> String? { try fields[key]?.text(in: bytes) }
        var parameters = ""
        let secret: ImportedValue
        if let seed = fields["TOTP Seed"] {
            secret = seed
            guard Set(fields.keys).isSubset(of: ["TOTP Seed", "TOTP Settings"]) else { return nil }
            if let settings = try text("TOTP Settings") {
                // The settings are period, digits, and optionally the URL of a clock.
                let parts = settings.split(separator: ";", maxSplits: 2)
                guard parts.count >= 2, let period = number(parts[0], 1...86_400),
                    let digits = number(parts[1], 6...8)
                else { return nil }
                parameters = "&period=\(period)&digits=\(digits)"
            }
        } else if let seed = fields["TimeOtp-Secret-Base32"] {
            secret = seed
            for key in fields.keys.sorted() where key != "TimeOtp-Secret-Base32" {
                let value = try text(key) ?? ""
                switch key {
                case "TimeOtp-Length":
                    guard let digits = number(value, 6...8) else { return nil }
                    parameters += "&digits=\(digits)"
                case "TimeOtp-Period":
                    guard let period = number(value, 1...86_400) else { return nil }
                    parameters += "&period=\(period)"
                case "TimeOtp-Algorithm":
                    let names = ["HMAC-SHA-1", "HMAC-SHA-256", "HMAC-SHA-512"]
                    guard names.contains(value) else { return nil }
                    parameters += "&algorithm=SHA" + value.dropFirst("HMAC-SHA-".count)
                default: return nil
                }
            }
        } else {
            return nil
        }
        guard !parameters.isEmpty else { return secret }
        return ImportedValue(
            pieces: [.literal("otpauth://totp/?secret=")] + secret.pieces + [.literal(parameters)])
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
