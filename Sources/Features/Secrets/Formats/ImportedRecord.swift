internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// A record of another program, which becomes one entry.
///
/// Attributes are visible while the vault is unlocked. Notes, one-time password seeds and custom
/// fields are as secret as the password, so each becomes a field:
///
/// | part of a record | becomes |
/// | --- | --- |
/// | title, or else the host of the URL, or else `imported` | the service; the title is also the
/// label |
/// | user name | the account; or else `card`, `identity`, or the name of the first field, such as
/// `password` |
/// | password | the field `password`, even if it is empty and the record has no other secret |
/// | notes, one-time password, card numbers, custom fields | the fields `notes`, `totp` and so on |
/// | URLs | attribute `url`, one a line; with a password in it, or too long: field `url` or `url-2` |
/// | folders and tags | the tags of the entry, each one word |
/// | times, favourite, … | attributes; long ones become fields |
/// | verification before the values are shown | the class `after-verification` |
struct ImportedRecord {
    /// The maximum size of an imported attribute, in bytes. A longer one becomes a field of the
    /// secret instead, because all attributes of a secret together have a size limit.
    static let maximumAttributeSize = 4_096
    private static let maximumFieldSize = 64
    private static let maximumTagSize = 256

    /// The line or number of the record (``ImportReport/Remark/line``).
    let line: Int
    var kind = RecordKind.login
    var title = ""
    /// The service, if it differs from the title.
    var service: String?
    var account = ""
    var password = ImportedValue()
    /// Whether the password was not imported. An empty password would then be wrong.
    var lacksPassword = false
    /// Whether the other program asks for verification before it shows the values.
    var isProtected = false
    /// The unsupported parts of the record.
    var unsupported: [UnsupportedPart] = []
    var doubts: [ImportDoubt] = []
    private var host = ""
    private var tags: [String] = []
    private var tagKeys: Set<NameKey> = []
    private var sizeOfTags = 0
    private var addresses: [String] = []
    private var sizeOfAddresses = 0
    /// Whether an address is in the field `url`, so that none is in the attribute.
    private var hasAddressField = false
    private var attributes: [ExtraAttribute] = []
    private var parts: [Part] = []
    private var ownParts: [Part] = []

    /// A secret of the record.
    private struct Part {
        /// The field name.
        var field: String
        let value: ImportedValue
    }

    init(line: Int) {
        self.line = line
    }

    /// Adds a field, unless the value is empty.
    mutating func add(_ field: String, _ value: ImportedValue) {
        guard !value.isEmpty else { return }
        if field == ExtraAttribute.url, addresses.isEmpty { hasAddressField = true }
        parts.append(Part(field: field, value: value))
    }

    /// Adds a field that the user has named, unless the value is empty.
    mutating func addOwn(_ field: String, _ value: ImportedValue) {
        if !value.isEmpty { ownParts.append(Part(field: field, value: value)) }
    }

    /// Adds an attribute, unless the value is empty.
    ///
    /// - Returns: `false` if the value is not UTF-8.
    @discardableResult
    mutating func addAttribute(
        _ key: String, _ value: ImportedValue, in bytes: RawSpan
    ) throws -> Bool {
        guard !value.isEmpty else { return true }
        if value.maximumSize > Self.maximumAttributeSize {
            add(key, value)
            return true
        }
        guard let text = try value.text(in: bytes) else { return false }
        addAttribute(key, text)
        return true
    }

    /// Adds a short attribute.
    mutating func addAttribute(_ key: String, _ text: String) {
        if !text.isEmpty { attributes.append(ExtraAttribute(key: key, text: text)) }
    }

    /// Replaces the field `notes` by the members of the JSON object in it; unchanged if it is none.
    ///
    /// - Parameters:
    ///   - names: The fields of members with other names.
    ///   - bytes: The file.
    /// - Throws: `SecretMemoryError`.
    mutating func expandNotes(_ names: [String: String], in bytes: RawSpan) throws {
        guard let place = parts.firstIndex(where: { $0.field == "notes" }) else { return }
        var found: [Part] = []
        do {
            try parts[place].value.withSecret(in: bytes) { notes in
                try notes.withBytes { text in
                    var reader = JSONReader<ExchangeError>(text)
                    try reader.forEachMember(in: text) { reader, key in
                        let isString = try reader.nextKind(in: text) == .string
                        var copy = reader
                        let range = try reader.rangeOfValue(in: text)
                        guard try copy.skipContent(in: text) else { return }
                        var secret = try SecretBytes(copying: text.extracting(range))
                        if isString {
                            var reader = JSONReader<ExchangeError>(text.extracting(range))
                            try reader.secret(in: text.extracting(range), into: &secret)
                        }
                        found.append(
                            Part(
                                field: names[key] ?? key.hyphenated,
                                value: ImportedValue(.held(HeldSecret(secret)))))
                    }
                    try reader.expectEnd(in: text)
                }
            }
        } catch is ExchangeError {
            return
        }
        parts.replaceSubrange(place...place, with: found)
    }

    /// Adds a URL to the attribute `url`. A URL with a password, and one that does not fit, become a field.
    ///
    /// - Returns: `false` if the first URL is not UTF-8.
    @discardableResult
    mutating func addAddress(_ value: ImportedValue, in bytes: RawSpan) throws -> Bool {
        guard !value.isEmpty else { return true }
        let isFirst = addresses.isEmpty && !hasAddressField
        let found: (host: String, isSecret: Bool)? = try value.withSecret(in: bytes) { value in
            value.withBytes { url in
                url.extracting(WebAddress.host(in: url)).text().map {
                    ($0, WebAddress.hasPassword(url))
                }
            }
        }
        if isFirst {
            guard let found else { return false }
            host = found.host
        }
        let size = sizeOfAddresses + value.maximumSize + (addresses.isEmpty ? 0 : 1)
        guard let found, !found.isSecret, !hasAddressField, size <= Self.maximumAttributeSize else {
            add(ExtraAttribute.url, value)
            return true
        }
        guard let text = try value.text(in: bytes) else {
            if isFirst { return false }
            add(ExtraAttribute.url, value)
            return true
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            add(ExtraAttribute.url, value)
            return true
        }
        sizeOfAddresses = size
        addresses.append(text)
        return true
    }

    /// Adds a folder or tag as one word. White space and control characters become hyphens.
    mutating func addTag(_ text: String) {
        var word = ""
        for part in text.unicodeScalars.split(whereSeparator: { scalar in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
        }) {
            word += (word.isEmpty ? "" : "-") + String(part)
        }
        guard !word.isEmpty, !tagKeys.contains(NameKey(word)) else { return }
        let size = sizeOfTags + word.utf8.count + 1
        guard word.utf8.count <= Self.maximumTagSize, size <= Self.maximumAttributeSize else {
            return unsupported.append(.tag)
        }
        sizeOfTags = size
        tagKeys.insert(NameKey(word))
        tags.append(word)
    }

    /// The title in a report.
    var heading: String { NameText(title).isBlank ? host : title }

    /// Delivers the fields of the entry.
    func deliver(
        in bytes: RawSpan, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws {
        var label = NameText(title)
        label.append()
        var service = service.map { NameText($0) } ?? label
        if service.isBlank { service = NameText(host) }
        if service.isBlank { service = NameText("imported") }
        service.append()
        var described = SecretAttributes(
            label: label.text, accessClass: isProtected ? .afterVerification : .whileUnlocked,
            extra: attributes)
        if !tags.isEmpty { described.tags = tags }
        described.addresses = addresses
        described.extra.sort { $0.key < $1.key }
        var (parts, changes) = allParts
        guard let first = parts.first else {
            run.reportUnsupported(line, unsupported, heading)
            return run.skip(line, .emptyRecord, heading)
        }
        var account = NameText(account)
        if account.isBlank {
            account = NameText(kind == .card || kind == .identity ? kind.rawValue : first.field)
        }
        let claim: ImportRun.Claim?
        do {
            claim = try run.claim(
                RecordName(service: service.text, account: account), line, heading, described)
        } catch let error as SecureStoreError {
            return run.skip(line, .refused(error), heading)
        }
        guard let claim else { return }
        run.reportNameChanges(line, service.changes + claim.changes + changes, heading)
        run.reportDoubts(line, doubts, heading)
        described.accessClass = claim.accessClass
        if claim.hasAddressField, let url = described[ExtraAttribute.url] {
            // The addresses of the entry stay in its field `url` alone.
            parts.append(Part(field: ExtraAttribute.url, value: ImportedValue(.literal(url))))
            described.addresses = []
        }
        var unsupported = unsupported
        var refusals: Set<SkipReason> = []
        var isImported = false
        for part in parts {
            var attributes = described
            if part.field == ExtraAttribute.url { attributes.addresses = addresses }
            let secret = ImportedSecret(
                name: try claim.name.with(field: part.field), attributes: attributes, line: line,
                created: nil, modified: nil)
            try part.value.withSecret(in: bytes) { (value) throws in
                if part.field == "totp", let kind = try OneTimePassword.unsupportedKind(value) {
                    unsupported.append(kind)
                }
                guard let reason = try run.deliver(secret, value, to: receive) else {
                    isImported = true
                    return
                }
                if refusals.insert(reason).inserted { run.skip(line, reason, heading) }
            }
        }
        run.reportUnsupported(line, unsupported, heading)
        if isImported { run.report.kinds[kind, default: 0] += 1 }
    }

    /// The fields with distinct names, the password first. Without a field, the record has only an
    /// unsupported password.
    private var allParts: (parts: [Part], changes: [NameChange]) {
        var usedNames: Set<String> = [SecretName.standardField]
        if !addresses.isEmpty { usedNames.insert(ExtraAttribute.url) }
        var numbers: [String: Int] = [:]
        var all: [Part] = []
        var changes: [NameChange] = []
        // An empty password counts, unless the record has other secrets. A note has no password.
        if !password.isEmpty || parts.isEmpty && ownParts.isEmpty && !lacksPassword {
            all.append(Part(field: SecretName.standardField, value: password))
        }
        for (place, var part) in (parts + ownParts).enumerated() {
            var field = NameText(part.field)
            field.append(limit: Self.maximumFieldSize)
            let plain = field.isBlank ? "unnamed" : field.text
            let original = part.field
            part.field = plain
            var number = numbers[plain] ?? 1
            while !usedNames.insert(part.field).inserted {
                number += 1
                part.field = "\(plain)-\(number)"
            }
            numbers[plain] = number
            // The importer chooses the names of standard fields, so only a changed custom name is
            // reported.
            if place >= parts.count, part.field != original { changes.append(.field) }
            all.append(part)
        }
        return (all, changes)
    }
}
