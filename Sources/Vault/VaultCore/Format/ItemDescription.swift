internal import SecureStorage

/// The encoding of an item's attributes (`Docs/Format.md`, section 5).
struct ItemDescription: Sendable, Hashable {
    var name: SecretName
    var label: String
    var created: Int64
    var modified: Int64
    var extra: [ExtraAttribute]

    /// The canonical bytes of a checked description.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.text(name.service)
        writer.text(name.account)
        writer.text(name.field)
        writer.text(label)
        writer.integer(created)
        writer.integer(modified)
        writer.integer(UInt32(extra.count))
        for attribute in extra {
            writer.text(attribute.key)
            writer.text(attribute.text)
        }
        return writer.bytes
    }

    /// The description with checked and sorted attributes. Each new name in a vault is checked here.
    func checked() throws -> ItemDescription {
        if name.isSessionOnly { throw SecureStoreError.invalidName(field: "service", .reserved) }
        var checked = self
        checked.extra = try SecretAttributes(label: label, extra: extra).checkedExtra(of: name)
        return checked
    }

    /// Parses canonical bytes; nil for any other input.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount <= SecretAttributes.maximumSize,
            let description = ByteReader.reading(bytes, { Self.read(from: &$0) })
        else { return nil }
        self = description
    }

    private static func read(from reader: inout ByteReader) -> ItemDescription? {
        guard let service = reader.text(), let account = reader.text(), let field = reader.text(),
            let label = reader.text(), TextRule.label.violation(label) == nil,
            let created = reader.integer(Int64.self),
            let modified = reader.integer(Int64.self), let count = reader.integer(UInt32.self),
            let name = try? SecretName(service: service, account: account, field: field)
        else { return nil }
        var extra: [ExtraAttribute] = []
        for _ in 0..<count {
            guard let key = reader.text(), TextRule.name.violation(key) == nil,
                let text = reader.text()
            else { return nil }
            if let last = extra.last, !last.key.precedesInBytes(key) {
                return nil
            }
            extra.append(ExtraAttribute(key: key, text: text))
        }
        guard reader.isAtEnd else { return nil }
        return ItemDescription(
            name: name, label: label, created: created, modified: modified, extra: extra)
    }

    init(
        name: SecretName, label: String, created: Int64, modified: Int64, extra: [ExtraAttribute]
    ) {
        self.name = name
        self.label = label
        self.created = created
        self.modified = modified
        self.extra = extra
    }
}
