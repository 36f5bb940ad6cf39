internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// A record of a file, with digests instead of values.
struct ImportSketch: Sendable {
    /// The size of the digest key, in bytes.
    static let keySize = 32

    let name: RecordName
    let attributes: SecretAttributes
    /// The fields.
    private(set) var fields: [String] = []
    /// Their bytes: `String` compares composed and decomposed letters as equal.
    private var fieldBytes: Set<[UInt8]> = []
    /// The digests of the fields with their values.
    private(set) var values: Set<[UInt8]> = []
    private var first: [UInt8] = []

    init(_ name: RecordName, _ attributes: SecretAttributes) {
        self.name = name
        self.attributes = attributes
    }

    mutating func add(_ field: String, _ value: borrowing SecretBytes, _ key: HeldSecret) {
        let digest = Self.digest(field, value, key)
        if fields.isEmpty { first = digest }
        fields.append(field)
        fieldBytes.insert(Array(field.utf8))
        values.insert(digest)
    }

    /// The digest of a field with its value. The key exists only in this process.
    static func digest(
        _ field: String, _ value: borrowing SecretBytes, _ key: HeldSecret
    ) -> [UInt8] {
        value.withBytes { value in
            key.value.withBytes { key in
                Blake2b.hash(size: 16, keyBytes: key) { input in
                    input.feed(UInt32(field.utf8.count))
                    input.feed(field)
                    input.feed(value)
                }
            }
        }
    }

    var contentKey: Set<[UInt8]> { values }
    var firstKey: Set<[UInt8]> { [first] }
    /// The values except the first one, and the URL.
    var otherKeys: [Set<[UInt8]>] {
        let others = values.subtracting([first]).sorted { $0.lexicographicallyPrecedes($1) }
        return others.map { [$0] } + Self.addressKeys(attributes)
    }

    /// The keys of the addresses among the digests.
    static func addressKeys(_ attributes: SecretAttributes) -> [Set<[UInt8]>] {
        attributes.addresses.map { [Array("address \($0)".utf8)] }
    }

    /// Whether an import would leave label, class and attributes of this entry's fields unchanged.
    func describes(_ items: [SecretItem], as named: AccessClass?) -> Bool {
        let hasAddressField = items.contains(where: \.name.isAddress)
        if hasAddressField, attributes[ExtraAttribute.url] != nil,
            SecretEntry(fields: items).addresses != attributes.addresses
        {
            return false
        }
        return items.allSatisfy { item in
            !fieldBytes.contains(Array(item.name.field.utf8))
                || description(of: item, besidesAddressField: hasAddressField) == SecretEdit()
                    && (named == nil || item.attributes.accessClass == named)
        }
    }

    /// The edit of another field of the entry. Beside a field `url`, it has no addresses.
    func description(
        of item: SecretItem, besidesAddressField hasAddressField: Bool
    ) -> SecretEdit {
        var edit = SecretEdit()
        if item.attributes.label != attributes.label { edit.label = attributes.label }
        var keys = [ExtraAttribute.tags]
        var wanted = attributes
        let isField = fieldBytes.contains(Array(ExtraAttribute.url.utf8))
        if hasAddressField || isField { wanted.addresses = [] }
        let hasAddress = attributes[ExtraAttribute.url] != nil || isField
        if hasAddress, !item.name.isAddress { keys.append(ExtraAttribute.url) }
        var described = item.attributes
        for key in keys where described[key] != wanted[key] {
            described[key] = wanted[key]
            edit.extra = described.extra
        }
        return edit
    }
}
