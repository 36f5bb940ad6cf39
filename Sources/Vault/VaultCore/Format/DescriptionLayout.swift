internal import SecureStorage

/// Where the parts of an item's attributes are in their bytes (`Docs/Format.md`, section 5), found without making texts.
///
/// The only reader of these bytes: it accepts exactly those that ``ItemDescription/bytes`` of a checked description writes.
struct DescriptionLayout {
    /// Service, account and field, each with its length: what the lookup tag is the hash of.
    let name: Range<Int>
    let service: Range<Int>
    let account: Range<Int>
    let field: Range<Int>
    let label: Range<Int>
    let created: Int64
    let modified: Int64
    /// The further attributes, with their number.
    let extra: Range<Int>
    /// The texts of the attributes `url` and `tags`, if it has them.
    private(set) var url: Range<Int>?
    private(set) var tags: Range<Int>?

    /// The label with its length.
    var sizedLabel: Range<Int> { name.upperBound..<label.upperBound }

    /// Finds the parts; nil for bytes that are no attributes.
    init?(_ bytes: RawSpan) {
        guard bytes.byteCount <= SecretAttributes.maximumSize,
            let layout = ByteReader.reading(bytes, { Self(&$0, bytes) })
        else { return nil }
        self = layout
    }

    private init?(_ reader: inout ByteReader, _ bytes: RawSpan) {
        guard let service = reader.place(ofText: .name), let account = reader.place(ofText: .name),
            let field = reader.place(ofText: .name), let label = reader.place(ofText: .label),
            let created = reader.integer(Int64.self), let modified = reader.integer(Int64.self)
        else { return nil }
        let start = reader.offset
        guard let count = reader.integer(UInt32.self) else { return nil }
        var last: Range<Int>?
        for _ in 0..<count {
            guard let key = reader.place(ofText: .name),
                let text = reader.place(ofText: .attribute)
            else { return nil }
            if let last, !bytes.extracting(last).precedes(bytes.extracting(key)) { return nil }
            if bytes.extracting(key).holds(ExtraAttribute.url) { url = text }
            if bytes.extracting(key).holds(ExtraAttribute.tags) { tags = text }
            last = key
        }
        guard reader.isAtEnd else { return nil }
        name = 0..<field.upperBound
        (self.service, self.account, self.field, self.label) = (service, account, field, label)
        (self.created, self.modified) = (created, modified)
        extra = start..<reader.offset
    }
}

extension RawSpan {
    /// Whether these are the UTF-8 bytes of a text.
    func holds(_ text: String) -> Bool {
        byteCount == text.utf8.count && begins(with: text)
    }

    /// Whether the first bytes are those of a text.
    func begins(with text: String) -> Bool {
        let text = text.utf8Span.span
        guard byteCount >= text.count else { return false }
        for index in text.indices where byte(index) != text[index] { return false }
        return true
    }

    /// Whether these bytes precede others.
    fileprivate func precedes(_ other: RawSpan) -> Bool {
        for index in 0..<Swift.min(byteCount, other.byteCount)
        where byte(index) != other.byte(index) {
            return byte(index) < other.byte(index)
        }
        return byteCount < other.byteCount
    }

    private func byte(_ index: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
