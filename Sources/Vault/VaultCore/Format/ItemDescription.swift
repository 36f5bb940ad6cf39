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
        guard let layout = DescriptionLayout(bytes),
            let name = try? SecretName(
                service: bytes.text(at: layout.service), account: bytes.text(at: layout.account),
                field: bytes.text(at: layout.field)),
            let extra = ByteReader.reading(bytes.extracting(layout.extra), { $0.extra() })
        else { return nil }
        self.init(
            name: name, label: bytes.text(at: layout.label), created: layout.created,
            modified: layout.modified, extra: extra)
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

extension RawSpan {
    /// The text at a place that a ``DescriptionLayout`` found.
    fileprivate func text(at place: Range<Int>) -> String {
        unsafe withUnsafeBytes { bytes in
            let text = unsafe UnsafeBufferPointer(
                rebasing: bytes.assumingMemoryBound(to: UInt8.self)[place])
            return String(copying: unsafe UTF8Span(unchecked: text.span))
        }
    }
}
