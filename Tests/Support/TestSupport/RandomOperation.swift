package import SecureStorage

/// One call of a store with random arguments.
package struct RandomOperation: Sendable {
    /// The operation on the item.
    package enum Kind: Sendable {
        case save([UInt8], AccessClass)
        case update([UInt8], expecting: UInt64?)
        /// Changes the name and the class.
        case edit(otherName: Int, AccessClass, expecting: UInt64?)
        case remove(expecting: UInt64?)
        case list
        case read
    }

    /// The operation.
    package let kind: Kind
    /// The number of the item's name, for ``TestVault/name(_:)``. Few names, so that operations conflict.
    package let name: Int

    /// Creates a chosen operation.
    package init(_ kind: Kind, name: Int) {
        self.kind = kind
        self.name = name
    }

    /// The next operation of a generator.
    package init(using random: inout SeededGenerator) {
        name = Int(random.next() % 25)
        let otherName = Int(random.next() % 25)
        let value = random.bytes(count: Int(random.next() % 90))
        let revision = random.next().isMultiple(of: 2) ? nil : random.next() % 4 + 1
        let accessClass: AccessClass =
            random.next().isMultiple(of: 2) ? .whileUnlocked : .afterVerification
        kind =
            switch random.next() % 10 {
            case 0...2: .save(value, accessClass)
            case 3...4: .update(value, expecting: revision)
            case 5: .edit(otherName: otherName, accessClass, expecting: revision)
            case 6: .remove(expecting: revision)
            case 7: .list
            default: .read
            }
    }

    /// The result of a store, including errors, as one comparable line.
    package func run(on store: any SecureStore) -> String {
        do {
            let name = try TestVault.name(name)
            switch kind {
            case .save(let value, let accessClass):
                let attributes = SecretAttributes(label: "l", accessClass: accessClass)
                return try Self.describe(store.save(Samples.secret(value), as: name, attributes))
            case .update(let value, let revision):
                return try Self.describe(
                    store.update(name, to: Samples.secret(value), expecting: revision))
            case .edit(let otherName, let accessClass, let revision):
                let edit = SecretEdit(name: try TestVault.name(otherName), accessClass: accessClass)
                return try Self.describe(store.edit(name, edit, expecting: revision))
            case .remove(let revision):
                try store.remove(name, expecting: revision)
                return Self.removed
            case .list: return try Self.describe(store.list())
            case .read: return try Self.describe(Samples.bytes(store.value(of: name)))
            }
        } catch {
            return "\(error)"
        }
    }

    /// Whether a result is that of a change that was made.
    package func isMade(_ result: String) -> Bool {
        switch kind {
        case .list, .read: false
        default: result == Self.removed || result.hasPrefix("service ")
        }
    }

    /// The result of a removal.
    package static let removed = "removed"

    /// The result with a value.
    package static func describe(_ value: [UInt8]) -> String { "\(value)" }

    /// The result with a list.
    package static func describe(_ items: [SecretItem]) -> String { "\(items.map(describe))" }

    /// The result with an item. Times are omitted.
    package static func describe(_ item: SecretItem) -> String {
        "\(item.name.service) \(item.revision) \(item.attributes.label) \(item.attributes.accessClass)"
    }
}
