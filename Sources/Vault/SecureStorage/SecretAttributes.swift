/// The description of a secret, without its value. Visible while the store is unlocked.
public struct SecretAttributes: Sendable, Hashable {
    /// The maximum stored size of all attributes together, in bytes.
    public static let maximumSize = 65_536

    /// The display name; may be empty.
    public var label: String
    /// The condition for reading the value.
    public var accessClass: AccessClass
    /// Further attributes, such as `url`, sorted by key. Keys are distinct, compared by bytes.
    public var extra: [ExtraAttribute]

    /// Creates attributes; they are checked when they are saved.
    public init(
        label: String = "", accessClass: AccessClass = .whileUnlocked, extra: [ExtraAttribute] = []
    ) {
        self.label = label
        self.accessClass = accessClass
        self.extra = extra
    }

    /// Compares the UTF-8 bytes.
    public static func == (left: SecretAttributes, right: SecretAttributes) -> Bool {
        left.label.utf8.elementsEqual(right.label.utf8) && left.accessClass == right.accessClass
            && left.extra == right.extra
    }
}

extension SecretAttributes {
    /// Checks label and further attributes against the limits of every store.
    ///
    /// - Returns: The further attributes, ascending by key.
    /// - Throws: `SecureStoreError.invalidName` or `tooLarge`.
    package func checkedExtra(of name: SecretName) throws -> [ExtraAttribute] {
        try TextRule.label.check(label, "label")
        let sorted = extra.sorted { $0.key.precedesInBytes($1.key) }
        // The stored size: each text with a length of 4 bytes, two times of 8, and the number of attributes.
        var size = 4 * 4 + 2 * 8 + 4
        size += name.service.utf8.count + name.account.utf8.count + name.field.utf8.count
        size += label.utf8.count
        var previous: ExtraAttribute?
        for attribute in sorted {
            try TextRule.name.check(attribute.key, "attribute")
            if let previous, previous.key.hasSameBytes(as: attribute.key) {
                throw SecureStoreError.invalidName(field: "attribute", .repeated)
            }
            size += 8 + attribute.key.utf8.count + attribute.text.utf8.count
            previous = attribute
        }
        guard size <= Self.maximumSize else {
            throw SecureStoreError.tooLarge(maximum: Self.maximumSize)
        }
        return sorted
    }
}

/// The condition for reading a secret's value, like the data-protection classes of iOS.
///
/// The class selects the key that seals the value. A value is readable if its key is in memory; there is no flag.
public enum AccessClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Readable while the store is unlocked: for credentials, without further verification.
    case whileUnlocked = 1
    /// Readable for a limited time after the owner was verified: protected text.
    case afterVerification = 2
}

/// A further attribute of a secret.
///
/// A list, because a dictionary would treat keys as equal that differ only in Unicode normalisation.
public struct ExtraAttribute: Sendable, Hashable {
    /// The key, restricted like a name.
    public let key: String
    /// The text, without restrictions.
    public let text: String

    /// Creates an attribute; it is checked when it is saved.
    public init(key: String, text: String) {
        self.key = key
        self.text = text
    }

    /// Compares the UTF-8 bytes.
    public static func == (left: ExtraAttribute, right: ExtraAttribute) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.text.utf8.elementsEqual(right.text.utf8)
    }
}
