/// A secret in a list: all properties except the value.
public struct SecretItem: Sendable, Hashable {
    /// The name, unique in its store.
    public let name: SecretName
    /// Label, access class and further attributes.
    public let attributes: SecretAttributes
    /// The number of writes: 1 after the save, one more after each update.
    public let revision: UInt64
    /// The time of its first save, in milliseconds since 1970-01-01 UTC. Informational only.
    public let created: Int64
    /// The time of its last write, in milliseconds since 1970-01-01 UTC. Informational only.
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

/// The times of a secret that an import brings along, in milliseconds since 1970-01-01 UTC.
public struct SecretTimes: Sendable, Hashable {
    /// The time of its first save.
    public let created: Int64
    /// The time of its last write.
    public let modified: Int64

    /// Makes the times of a secret.
    public init(created: Int64, modified: Int64) {
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
