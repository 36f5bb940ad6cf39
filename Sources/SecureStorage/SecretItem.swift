/// The description of a secret, without its value. Visible while the store is unlocked.
public struct SecretAttributes: Sendable, Hashable {
    /// The maximum stored size of all attributes together, in bytes.
    public static let maximumSize = 65_536

    /// A display name; may be empty.
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

/// A secret in a list: all properties except the value.
public struct SecretItem: Sendable, Hashable {
    /// The name, unique in its store.
    public let name: SecretName
    /// Label, access class and further attributes.
    public let attributes: SecretAttributes
    /// The number of writes: 1 after the save, one more after each update.
    public let revision: UInt64
    /// When it was saved, in milliseconds since 1970-01-01 UTC. Informational only.
    public let created: Int64
    /// When it was last written, in milliseconds since 1970-01-01 UTC. Informational only.
    public let modified: Int64

    /// Creates the description of a stored secret; for store implementations.
    public init(
        name: SecretName, attributes: SecretAttributes, revision: UInt64, created: Int64,
        modified: Int64
    ) {
        self.name = name
        self.attributes = attributes
        self.revision = revision
        self.created = created
        self.modified = modified
    }
}

/// A change to the description of a secret; nil leaves a field unchanged.
public struct SecretEdit: Sendable, Hashable {
    /// The new name.
    public var name: SecretName?
    /// The new label.
    public var label: String?
    /// The new access class.
    public var accessClass: AccessClass?
    /// The new further attributes, replacing all old ones.
    public var extra: [ExtraAttribute]?

    /// Creates a change.
    public init(
        name: SecretName? = nil, label: String? = nil, accessClass: AccessClass? = nil,
        extra: [ExtraAttribute]? = nil
    ) {
        self.name = name
        self.label = label
        self.accessClass = accessClass
        self.extra = extra
    }
}

/// A further attribute of a secret.
///
/// Stores use a list of these: a dictionary would treat two keys as equal that differ only in Unicode normalisation.
public struct ExtraAttribute: Sendable, Hashable {
    /// The key, restricted like a name.
    public let key: String
    /// The text, with any content.
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
