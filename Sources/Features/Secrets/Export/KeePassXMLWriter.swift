internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// The writer of KeePass 2 XML, see ``SecretExporter``.
///
/// A value is written when it comes. Names, addresses and attributes follow at the end of the entry, because they depend on all its fields.
struct KeePassXMLWriter {
    /// The text before the entries.
    static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <KeePassFile><Meta><Generator>TaskVault</Generator></Meta><Root><Group><Name>TaskVault</Name>

        """
    /// The text after the entries.
    static let end = "</Group></Root></KeePassFile>\n"
    /// The attributes that have their own elements.
    private static let ownElements: Set<String> = [
        ExtraAttribute.url, ExtraAttribute.tags, "created", "modified",
    ]

    /// The fields of the open entry.
    private var fields: [SecretItem] = []
    /// The keys of its strings. KeePassXC refuses a file in which a key is repeated.
    private var keys: Set<String> = []

    /// Writes one field. The fields of an entry must follow each other.
    ///
    /// - Returns: `false` for a value that XML cannot hold, which is left out.
    mutating func write(
        _ item: SecretItem, _ value: borrowing SecretBytes, to output: inout ExportBuffer
    ) throws -> Bool {
        guard value.withBytes({ $0.isXMLText }) else { return false }
        if let first = fields.first, !first.name.hasSameEntry(as: item.name) {
            try endEntry(&output)
        }
        if fields.isEmpty {
            try output.append("<Entry>\n")
            keys = ["Title", "UserName", "Password", "Notes", "URL"]
        }
        fields.append(item)
        switch item.name.field {
        case SecretName.standardField: try Self.append("Password", value, to: &output)
        case "notes": try Self.append("Notes", value, to: &output)
        case ExtraAttribute.url:
            // Addresses that are not secret follow at the end.
            if item.attributes.addresses.isEmpty { try Self.append("URL", value, to: &output) }
        case "totp" where try OneTimePassword.unsupportedKind(value) == nil:
            let key = unused("otp")
            // Most programs expect a URI. Base32 has no colon.
            if value.withBytes({ $0.contains(UInt8(ascii: ":")) }) {
                try Self.append(key, value, to: &output)
                break
            }
            let secret = try value.withBytes { try Base32.decode($0) }
                .withBytes { try Base32.encode($0) }
            let uri = try OneTimePassword.uri(
                of: secret, account: item.name.account, issuer: item.name.service)
            try Self.append(key, uri, to: &output)
        default: try Self.append(unused(item.name.field), value, to: &output)
        }
        return true
    }

    /// Ends the open entry, if there is one.
    mutating func endEntry(_ output: inout ExportBuffer) throws {
        guard let entry = SecretEntry.entries(of: fields).first else { return }
        fields = []
        let (name, attributes) = (entry.name, entry.attributes)
        try Self.append("Title", name.service, to: &output)
        // An import takes the name of the field if there is no user name.
        let isUnnamed = name.account.hasSameBytes(as: name.field)
        if !isUnnamed || !name.isStandardField && entry.fields.count > 1 {
            try Self.append("UserName", name.account, to: &output)
        }
        for (place, address) in entry.addresses.enumerated() {
            // The further keys are those of KeePassXC's browser extension.
            let further = place == 1 ? "KP2A_URL" : "KP2A_URL_\(place - 1)"
            try Self.append(place == 0 ? "URL" : unused(further), address, to: &output)
        }
        try Self.element("Tags", entry.tags.joined(separator: ";"), to: &output)
        func time(_ key: String) -> PointInTime? {
            attributes[key].flatMap { PointInTime(rfc3339: $0) }
        }
        // The times of another program, until the entry is changed here.
        let isUnchanged = entry.fields.allSatisfy { $0.revision == 1 }
        let modified = isUnchanged ? time("modified") : nil
        try output.append("<Times>")
        for (element, milliseconds) in [
            ("CreationTime", time("created")?.milliseconds ?? entry.created),
            ("LastModificationTime", modified?.milliseconds ?? entry.modified),
        ] {
            try Self.element(element, Timestamp.rfc3339(milliseconds: milliseconds), to: &output)
        }
        if let day = entry.expiry {
            let end =
                time(SecretRenewal.expiresKey)
                .map { Timestamp.rfc3339(milliseconds: $0.milliseconds) } ?? day + "T23:59:59Z"
            try Self.element("ExpiryTime", end, to: &output)
            try Self.element("Expires", "True", to: &output)
        }
        try output.append("</Times>\n<CustomData>")
        let isProtected = attributes.accessClass == .afterVerification
        let extra = attributes.extra.filter { attribute in
            !Self.ownElements.contains(attribute.key)
                && (entry.expiry == nil || attribute.key != SecretRenewal.expiresKey)
        }
        for (key, text) in [
            (KeePassXML.labelKey, entry.label.hasSameBytes(as: name.service) ? nil : entry.label),
            (KeePassXML.classKey, isProtected ? attributes.accessClass.exchangeName : nil),
            (KeePassXML.extraKey, extra.isEmpty ? nil : TaskVaultJSON.list(extra)),
        ] {
            guard let text else { continue }
            try output.append("<Item>")
            try Self.element("Key", key, to: &output)
            try Self.element("Value", text, to: &output)
            try output.append("</Item>")
        }
        try output.append("</CustomData>\n</Entry>\n")
    }

    /// The key, or else the key with the lowest free number.
    private mutating func unused(_ key: String) -> String {
        var (free, number) = (key, 1)
        while !keys.insert(free).inserted {
            number += 1
            free = "\(key)-\(number)"
        }
        return free
    }

    /// Writes a string with a secret value.
    private static func append(
        _ key: String, _ value: borrowing SecretBytes, to output: inout ExportBuffer
    ) throws {
        try output.append("<String>")
        try element("Key", key, to: &output)
        try output.append("<Value ProtectInMemory=\"True\">")
        try value.withBytes { (bytes) throws in try output.appendXML(bytes) }
        try output.append("</Value></String>\n")
    }

    /// Writes a string that is not secret.
    private static func append(
        _ key: String, _ text: String, to output: inout ExportBuffer
    ) throws {
        try output.append("<String>")
        try element("Key", key, to: &output)
        try element("Value", text, to: &output)
        try output.append("</String>\n")
    }

    /// Writes an element. U+FFFD replaces characters that XML cannot hold.
    private static func element(
        _ name: String, _ text: String, to output: inout ExportBuffer
    ) throws {
        try output.append("<\(name)>")
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            scalars.append(XMLReader.isCharacter(scalar) ? scalar : "\u{FFFD}")
        }
        let bytes = Array(String(scalars).utf8)
        // Safe: the array outlives the span.
        try output.appendXML(unsafe bytes.span.bytes)
        try output.append("</\(name)>")
    }
}

extension ExportBuffer {
    /// Appends bytes as XML character data.
    fileprivate mutating func appendXML(_ text: RawSpan) throws {
        var start = 0
        for offset in 0..<text.byteCount {
            let reference: String
            switch text[offset] {
            case UInt8(ascii: "&"): reference = "&amp;"
            case UInt8(ascii: "<"): reference = "&lt;"
            case UInt8(ascii: ">"): reference = "&gt;"
            // A reader would make it a line feed.
            case Byte.carriageReturn: reference = "&#13;"
            default: continue
            }
            try append(text.extracting(start..<offset))
            try append(reference)
            start = offset + 1
        }
        try append(text.extracting(start..<text.byteCount))
    }
}

extension RawSpan {
    /// Whether the bytes are UTF-8 of characters that XML 1.0 allows.
    fileprivate var isXMLText: Bool {
        guard isUTF8 else { return false }
        for offset in 0..<byteCount {
            switch self[offset] {
            case 0x09, Byte.lineFeed, Byte.carriageReturn: continue
            case 0..<0x20: return false
            // U+FFFE and U+FFFF.
            case 0xEF where self[offset + 1] == 0xBF && self[offset + 2] >= 0xBE: return false
            default: continue
            }
        }
        return true
    }
}
