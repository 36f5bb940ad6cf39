/// The state of one object: a function of the set of its records, independent of the order of their arrival (`Docs/Sync.md`, section 7).
package struct ObjectState: Sendable {
    /// The kinds of objects. An unknown kind is kept, and not shown.
    package enum Kind {
        package static let item: UInt8 = 1
        package static let task: UInt8 = 2
    }

    /// An earlier version of a field.
    package struct Earlier: Hashable, Sendable {
        package let version: Version
        /// Whether a version of higher rank with another content is concurrent, and no person looked at this one yet.
        package let isConcurrent: Bool
    }

    /// The versions of one field.
    package struct FieldState: Sendable {
        /// The version of the highest rank, which is shown.
        package let current: Version
        /// The others, from the highest rank on.
        package let earlier: [Earlier]

        /// Whether any earlier version is marked *concurrent*.
        package var isConcurrent: Bool { earlier.contains(where: \.isConcurrent) }
    }

    /// A subtask that is not removed. Its name and whether it is done are in the fields.
    package struct Subtask: Hashable, Sendable {
        package let id: SubtaskID
        package let position: Position
    }

    /// The smallest id of those joined.
    package let object: ObjectID
    package let kind: UInt8
    /// Whether the object is in the trash: removes cover every change by a person.
    package let isRemoved: Bool
    /// Whether it came back although it was removed, and no person looked at that yet.
    package let hasReturned: Bool
    /// Whether it needs verification.
    package let isProtected: Bool
    package let fields: [RecordField: FieldState]
    /// The occurrence of a task: the one that is due.
    package let due: DueDate?
    /// The occurrences that were done, each once.
    package let completed: Set<Int64>
    /// In their order.
    package let subtasks: [Subtask]

    /// Whether a person should look at it: at a value or a text that is marked *concurrent*, or because it came back.
    package var isMarked: Bool {
        !isRemoved
            && (hasReturned || fields.contains { $0.key.isVersioned && $0.value.isConcurrent })
    }

    /// The set tags.
    package var tags: [RecordField] {
        fields.filter { $0.key.tag != nil && $0.value.current.content.isSet }.map(\.key).sorted()
    }

    /// Computes the state; nil if the record that made the object is missing.
    ///
    /// - Parameters:
    ///   - versions: All records of the object, and of those joined with it.
    ///   - rules: The rules in force.
    ///   - fingerprint: Gives the fingerprint that a content in the open would have as a secret; nil if the key V is missing.
    package init?(
        _ versions: [Version], rules: SyncRules = .all,
        fingerprint: @escaping ([UInt8]) -> [UInt8]? = { _ in nil }
    ) {
        let merging = ObjectMerging(versions, rules: rules, fingerprint: fingerprint)
        guard let kind = merging.kind, let object = versions.map(\.object).min() else { return nil }
        self.object = object
        self.kind = kind
        isRemoved = merging.isRemoved
        hasReturned = merging.hasReturned
        isProtected = merging.isProtected(kind)
        fields = merging.fields
        due = merging.due
        completed = Set(merging.completions.keys)
        subtasks = merging.subtasks
    }
}

extension RecordContent {
    /// Whether the content is that of a set flag.
    package var isSet: Bool { bytes.flatMap { Self.flag($0) } ?? false }
}
