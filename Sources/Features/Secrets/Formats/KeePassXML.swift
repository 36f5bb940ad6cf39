internal import SecureStorage
internal import TextCoding

/// The reader of XML from KeePassXC and KeePass 2. An entry becomes an entry, see
/// ``ImportedRecord``.
enum KeePassXML {
    /// The keys of custom data that ``KeePassXMLWriter`` writes.
    static let labelKey = "taskvault.label"
    static let classKey = "taskvault.class"
    static let extraKey = "taskvault.extra"

    static func read(
        _ bytes: RawSpan, _ mode: ImportMode, _ receive: SecretReceiver
    ) throws -> ImportRun {
        var reader = XMLReader(bytes)
        guard try reader.nextChild(in: bytes) == "KeePassFile" else {
            throw ExchangeError.unknownFormat
        }
        var run = ImportRun(.keePassXML, mode)
        var references = try KeePassReferences(bytes)
        var recycleBin = ""
        while let part = try reader.nextChild(in: bytes) {
            while part == "Meta" || part == "Root", let child = try reader.nextChild(in: bytes) {
                switch child {
                case "RecycleBinUUID": recycleBin = try reader.text(in: bytes)
                case "Group":
                    var group = Group(recycleBin: recycleBin)
                    try group.read(&reader, in: bytes, &references, &run, receive)
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
            _ reader: inout XMLReader, in bytes: RawSpan,
            _ references: inout KeePassReferences, _ run: inout ImportRun,
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
                        run.reportUnsupported(line, [.description], own.last ?? "")
                    }
                case "Group":
                    var group = Group(recycleBin: recycleBin, path: own, isDeleted: isDeleted)
                    try group.read(&reader, in: bytes, &references, &run, receive)
                case "Entry":
                    var entry = Entry(line: reader.currentLine(in: bytes))
                    let damagedTexts = reader.damagedTexts
                    try entry.read(&reader, in: bytes, &references)
                    if isDeleted {
                        run.skip(entry.record.line, .deleted, entry.record.heading)
                    } else if reader.damagedTexts > damagedTexts {
                        run.skip(entry.record.line, .damagedText, entry.record.heading)
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
        /// The addresses after the first one.
        private var furtherAddresses: [ImportedValue] = []
        /// The label, if it differs from the title.
        private var label: String?

        init(line: Int) {
            record = ImportedRecord(line: line)
        }

        mutating func read(
            _ reader: inout XMLReader, in bytes: RawSpan, _ references: inout KeePassReferences
        ) throws {
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "String": try readString(&reader, in: bytes, &references)
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
                case "CustomData": try readCustomData(&reader, in: bytes)
                // The entry's id, icon and colours.
                default: try reader.skip(in: bytes)
                }
            }
            try addSeeds(in: bytes)
            for address in furtherAddresses { try record.addAddress(address, in: bytes) }
            if let label { (record.service, record.title) = (record.title, label) }
        }

        /// Adds the first seed that gives codes as the field `totp`, and the others by their own names.
        private mutating func addSeeds(in bytes: RawSpan) throws {
            var hasSeed = false
            for kind in KeePassSeed.Kind.allCases {
                let fields = seeds.filter { kind.has($0.key) }
                if fields.isEmpty { continue }
                var rest = fields
                switch try KeePassSeed.read(kind, fields, in: bytes) {
                case .seed(let value, let used) where !hasSeed:
                    hasSeed = true
                    record.add("totp", value)
                    rest = fields.filter { !used.contains($0.key) }
                case .seed: break
                case .unsupported(let part): record.unsupported.append(part)
                }
                for (key, value) in rest.sorted(by: { $0.key < $1.key }) {
                    record.addOwn(key, value)
                }
            }
        }

        private mutating func readString(
            _ reader: inout XMLReader, in bytes: RawSpan, _ references: inout KeePassReferences
        ) throws {
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
            // Name and address are visible while the vault is unlocked.
            let isFurtherAddress = key.hasPrefix("KP2A_URL")
            let isVisible = isFurtherAddress || ["Title", "UserName", "URL"].contains(key)
            value = try references.resolved(value, visible: isVisible, in: bytes)
            if try value.isReference(in: bytes, also: isVisible || key == "Password") {
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
            case _ where isFurtherAddress: furtherAddresses.append(value)
            case _ where KeePassSeed.Kind.allCases.contains { $0.has(key) }: seeds[key] = value
            default: record.addOwn(key, value)
            }
        }

        private mutating func readTimes(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            var end = ImportedValue()
            var expires = false
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "CreationTime":
                    try record.addAttribute("created", Self.time(&reader, in: bytes), in: bytes)
                case "LastModificationTime":
                    try record.addAttribute("modified", Self.time(&reader, in: bytes), in: bytes)
                case "ExpiryTime": end = try Self.time(&reader, in: bytes)
                case "Expires": expires = try reader.text(in: bytes) == "True"
                default: try reader.skip(in: bytes)
                }
            }
            if expires { try record.addAttribute("expires", end, in: bytes) }
        }

        /// A time: RFC 3339, or in KDBX 4 the seconds since the year 1 as Base64 of 64 bits, the lowest byte first.
        private static func time(
            _ reader: inout XMLReader, in bytes: RawSpan
        ) throws -> ImportedValue {
            let value = try reader.value(in: bytes)
            guard let text = try value.text(in: bytes),
                let binary = Base64.bytes(of: text, .standard), binary.count == 8
            else { return value }
            let seconds = binary.reversed().reduce(0) { $0 << 8 | UInt64($1) }
            // The years 1 to 9999.
            guard seconds < 315_537_897_600 else { return value }
            let milliseconds = (Int64(seconds) - 62_135_596_800) * 1_000
            return ImportedValue(.literal(Timestamp.rfc3339(milliseconds: milliseconds)))
        }

        private mutating func readCustomData(
            _ reader: inout XMLReader, in bytes: RawSpan
        ) throws {
            while try reader.nextChild(in: bytes) != nil {
                var (key, text) = ("", "")
                while let child = try reader.nextChild(in: bytes) {
                    switch child {
                    case "Key": key = try reader.text(in: bytes)
                    case "Value": text = try reader.text(in: bytes)
                    default: try reader.skip(in: bytes)
                    }
                }
                switch key {
                case KeePassXML.labelKey: label = text
                case KeePassXML.classKey:
                    record.isProtected = text == AccessClass.afterVerification.exchangeName
                case KeePassXML.extraKey:
                    for attribute in AttributeList.read(text) ?? [] {
                        record.addAttribute(attribute.key, attribute.text)
                    }
                // KeePassXC's own time of the custom data.
                case "_LAST_MODIFIED": break
                default: record.unsupported.append(.other)
                }
            }
        }

        private mutating func skipUnsupported(
            _ part: UnsupportedPart, _ reader: inout XMLReader, in bytes: RawSpan
        ) throws {
            if try reader.skip(in: bytes) { record.unsupported.append(part) }
        }
    }
}
