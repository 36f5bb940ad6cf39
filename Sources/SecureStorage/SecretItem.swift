/// What describes a secret, its value apart. Visible while the store is unlocked.
public struct SecretAttributes: Sendable, Hashable {
    /// The largest size of all attributes together, in bytes as they are stored.
    public static let maximumSize = 65_536

    /// A line for people; may be empty.
    public var label: String
    /// When the value can be read.
    public var accessClass: AccessClass
    /// Further attributes, such as `url`; their keys are distinct by their bytes. Kept in ascending order of the keys.
    public var extra: [ExtraAttribute]

    /// Makes attributes; they are checked when they are saved.
    public init(
        label: String = "", accessClass: AccessClass = .whileUnlocked, extra: [ExtraAttribute] = []
    ) {
        self.label = label
        self.accessClass = accessClass
        self.extra = extra
    }

    /// Compares the bytes of UTF-8.
    public static func == (left: SecretAttributes, right: SecretAttributes) -> Bool {
        left.label.utf8.elementsEqual(right.label.utf8) && left.accessClass == right.accessClass
            && left.extra == right.extra
    }
}

/// A secret as a list shows it: everything but the value.
public struct SecretItem: Sendable, Hashable {
    /// The name, unique in its store.
    public let name: SecretName
    /// Label, access class and further attributes.
    public let attributes: SecretAttributes
    /// How often the secret was written: 1 after the save, one more after each update.
    public let revision: UInt64
    /// When it was saved, in milliseconds since 1970-01-01 UTC. For information only.
    public let created: Int64
    /// When it was last written, likewise.
    public let modified: Int64

    /// Makes the description of a stored secret; store implementations call it.
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

/// A change to what describes a secret; nil leaves a field as it is.
public struct SecretEdit: Sendable, Hashable {
    /// The new name.
    public var name: SecretName?
    /// The new label.
    public var label: String?
    /// The new access class.
    public var accessClass: AccessClass?
    /// The new further attributes, all of them.
    public var extra: [ExtraAttribute]?

    /// Makes a change.
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
/// A list of these and not a dictionary, which would take two keys for equal that differ in Unicode normalisation.
public struct ExtraAttribute: Sendable, Hashable {
    /// The key; it follows the rule of names.
    public let key: String
    /// The text, of any content.
    public let text: String

    /// Makes an attribute; it is checked when it is saved.
    public init(key: String, text: String) {
        self.key = key
        self.text = text
    }

    /// Compares the bytes of UTF-8.
    public static func == (left: ExtraAttribute, right: ExtraAttribute) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.text.utf8.elementsEqual(right.text.utf8)
    }
}
