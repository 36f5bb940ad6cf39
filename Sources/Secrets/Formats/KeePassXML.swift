internal import SecretMemory
internal import TextCoding

/// The reader of the XML of KeePassXC and KeePass 2; an entry of it becomes an entry as ``ImportedRecord`` describes.
enum KeePassXML {
    static func read(_ bytes: RawSpan, _ receive: SecretReceiver) throws -> ImportReport {
        var reader = XMLReader(bytes)
        guard try reader.nextChild(in: bytes) == "KeePassFile" else {
            throw ExchangeError.unknownFormat
        }
        var run = ImportRun(.keePassXML)
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
        return run.report
    }

    /// A group while it is read.
    private struct Group {
        /// The id of the recycle bin.
        let recycleBin: String
        /// The names of the groups around it; nil for the root, which has the name of the database.
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
                    if try !reader.value(in: bytes).isEmpty { run.leaveOut(line, [.other]) }
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

    /// An entry while it is read.
    private struct Entry {
        var record: ImportedRecord
        /// Seeds of other plug-ins and their settings.
        private var seeds: [(key: String, value: FileValue)] = []
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
                            record.leftOut.append(.autoType)
                        }
                    }
                case "Binary": try leaveOut(.attachment, &reader, in: bytes)
                case "History": try leaveOut(.earlierValues, &reader, in: bytes)
                case "CustomData": try leaveOut(.other, &reader, in: bytes)
                // Its id, and its looks.
                default: try reader.skip(in: bytes)
                }
            }
            // The settings of a seed may differ from those of a seed alone, so both stay as they are.
            let isAlone = seeds.count == 1 && !hasSeed
            for (key, value) in seeds {
                if isAlone, ["TOTP Seed", "TimeOtp-Secret-Base32"].contains(key) {
                    record.add("totp", value)
                } else {
                    record.addOwn(key, value)
                }
            }
        }

        private mutating func readString(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            var key = ""
            var value = FileValue()
            while let child = try reader.nextChild(in: bytes) {
                switch child {
                case "Key": key = try reader.text(in: bytes)
                case "Value":
                    // Encrypted by the database, as inside of it.
                    if reader.attributes["Protected"]?.lowercased() == "true" {
                        throw ExchangeError.encrypted
                    }
                    value = try reader.value(in: bytes)
                default: throw reader.invalid(in: bytes)
                }
            }
            guard !value.isEmpty else { return }
            switch key {
            case "Title": record.title = try value.text(in: bytes) ?? ""
            case "UserName": record.account = try value.text(in: bytes) ?? ""
            case "Password": record.password = value
            case "URL": try record.addAddress(value, in: bytes)
            case "Notes": record.add("notes", value)
            case "otp":
                // KeeOtp, a plug-in, has other texts there.
                let isSeed = try value.withSecret(in: bytes) { value in
                    value.withBytes { $0.hasText("otpauth:", at: 0) }
                }
                guard isSeed else { return record.addOwn(key, value) }
                hasSeed = true
                record.add("totp", value)
            case "TOTP Seed", "TOTP Settings", "TimeOtp-Secret-Base32", "TimeOtp-Length",
                "TimeOtp-Period", "TimeOtp-Algorithm":
                seeds.append((key, value))
            default: record.addOwn(key, value)
            }
        }

        private mutating func readTimes(_ reader: inout XMLReader, in bytes: RawSpan) throws {
            var end = FileValue()
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

        private mutating func leaveOut(
            _ part: LeftOutPart, _ reader: inout XMLReader, in bytes: RawSpan
        ) throws {
            if try reader.skip(in: bytes) { record.leftOut.append(part) }
        }
    }
}
