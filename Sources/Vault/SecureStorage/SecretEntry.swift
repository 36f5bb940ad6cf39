/// An entry: the secrets of one service and account, one secret for each field.
///
/// Each secret has its own label, addresses, tags and class. If they differ, those of the leading field apply: `password`, or else the first
/// field; of the addresses, those of the field `url`.
package struct SecretEntry: Sendable, Hashable {
    /// The leading field, and the others. Most entries have one field, which then needs no array.
    private let first: SecretItem
    private let others: [SecretItem]

    /// The fields: `password`, then the others by name. Never empty.
    package var fields: [SecretItem] { [first] + others }

    /// Creates an entry from its fields, `password` first.
    package init(fields: [SecretItem]) {
        self.init(first: fields[0], others: Array(fields.dropFirst()))
    }

    private init(first: SecretItem, others: [SecretItem]) {
        self.first = first
        self.others = others
    }

    /// The service and the account of the entry, with its leading field.
    package var name: SecretName { first.name }
    /// Label, class and further attributes of the entry.
    package var attributes: SecretAttributes {
        var attributes = first.attributes
        attributes.accessClass = accessClass
        attributes.addresses = addresses
        return attributes
    }
    /// The label.
    package var label: String { first.attributes.label }
    /// The class; an entry with a protected field is protected.
    package var accessClass: AccessClass {
        let isProtected =
            first.attributes.accessClass == .afterVerification
            || others.contains { $0.attributes.accessClass == .afterVerification }
        return isProtected ? .afterVerification : .whileUnlocked
    }
    /// The addresses: those of the field `url`, which has none if one is secret. Without such a field, the first ones of a field.
    package var addresses: [String] {
        if let own = field(ExtraAttribute.url) { return own.attributes.addresses }
        return fields.lazy.map(\.attributes.addresses).first { !$0.isEmpty } ?? []
    }
    /// The first address.
    package var url: String? { addresses.first }
    /// The tags, in their order.
    package var tags: [String] { first.attributes.tags }
    /// The time of the first save of a field, in milliseconds since 1970-01-01 UTC.
    package var created: Int64 { others.reduce(first.created) { min($0, $1.created) } }
    /// The time of the last write to a field, in milliseconds since 1970-01-01 UTC.
    package var modified: Int64 { others.reduce(first.modified) { max($0, $1.modified) } }
    /// Whether the entry has a field other than `password`.
    package var hasOwnFields: Bool { !others.isEmpty || !first.name.isStandardField }

    /// The field with this name, or nil.
    package func field(_ name: String) -> SecretItem? {
        fields.first { $0.name.field.hasSameBytes(as: name) }
    }

    /// Groups secrets by service and account.
    ///
    /// - Parameter items: The secrets, ordered by name.
    /// - Returns: The entries, in the same order.
    package static func entries(of items: [SecretItem]) -> [SecretEntry] {
        var entries: [SecretEntry] = []
        entries.reserveCapacity(items.count)
        var start = 0
        while start < items.count {
            var end = start + 1
            while end < items.count, items[end].name.hasSameEntry(as: items[start].name) {
                end += 1
            }
            entries.append(
                end == start + 1
                    ? SecretEntry(first: items[start], others: [])
                    : SecretEntry(fields: standardFirst(items[start..<end])))
            start = end
        }
        return entries
    }

    private static func standardFirst(_ fields: ArraySlice<SecretItem>) -> [SecretItem] {
        fields.filter(\.name.isStandardField) + fields.filter { !$0.name.isStandardField }
    }
}

extension SecretName {
    /// Whether two names have the same service and account.
    package func hasSameEntry(as other: SecretName) -> Bool {
        service.hasSameBytes(as: other.service) && account.hasSameBytes(as: other.account)
    }

    /// Whether the field is `password`.
    package var isStandardField: Bool { field.hasSameBytes(as: Self.standardField) }

    /// Whether the field has the addresses of the entry.
    package var isAddress: Bool { field.hasSameBytes(as: ExtraAttribute.url) }

    /// The name of another field of the same entry.
    package func with(field: String) throws(SecureStoreError) -> SecretName {
        try SecretName(service: service, account: account, field: field)
    }
}

extension SecretAttributes {
    /// The addresses of an entry. The attribute `url` has one on each line.
    package var addresses: [String] {
        get {
            self[ExtraAttribute.url]?.unicodeScalars.split(separator: "\n").map { String($0) } ?? []
        }
        set {
            self[ExtraAttribute.url] = newValue.isEmpty ? nil : newValue.joined(separator: "\n")
        }
    }

    /// The tags of an entry, each one word. The attribute `tags` has them separated by spaces.
    package var tags: [String] {
        get {
            // Split by scalars: as a `Character`, a space before a combining mark is not a space.
            self[ExtraAttribute.tags]?.unicodeScalars.split(separator: " ").map { String($0) } ?? []
        }
        set {
            self[ExtraAttribute.tags] = newValue.isEmpty ? nil : newValue.joined(separator: " ")
        }
    }
}
