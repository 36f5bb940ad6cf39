internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// Saves a field of an entry as `secret set` and `secret generate` do.
struct SecretSaving {
    private static let tries = 8

    private let name: SecretName
    private let store: any SecureStore
    private let invocation: Invocation
    /// The entry before the question.
    private let entry: SecretEntry?
    private let tags: [String]

    /// Checks whether the name is taken, before the person enters a value.
    ///
    /// - Throws: A failure for a name that is taken, unless `--replace` was given; `notVerified`.
    init(_ name: SecretName, _ store: OpenStore, _ context: CommandContext) throws {
        self.name = name
        self.store = store.secrets
        invocation = context.invocation
        entry = try context.application.entry(of: name, in: store.secrets)
        tags = try invocation.tags(after: entry?.tags ?? [])
        if AccessClass(option: invocation) == .afterVerification {
            try context.vault.requireVerified(store)
        }
        guard let entry else { return }
        let exists = entry.field(name.field) != nil || name.isAddress && !entry.addresses.isEmpty
        if exists, !invocation.has(.replace) {
            throw Failure(
                .alreadyExists, "secret \(name.typed) already exists",
                hint: context.folders.command(
                    "\(invocation.command.name) --replace \(name.typed)"))
        }
        for item in entry.fields { try context.requireWritable(item, in: store) }
    }

    /// Saves a value. Attributes without an option stay as in the entry.
    ///
    /// - Returns: The description of the saved secret.
    func save(_ value: borrowing SecretBytes) throws -> SecretItem {
        let attributes = try attributes(of: value)
        try describeOthers(as: attributes)
        if name.isAddress { try store.moveAddressesIntoField(of: name) }
        var exists = entry?.field(name.field) != nil
        // With --replace, changes of the name by other programs do not matter. The tries are limited, because such changes do not recur
        // endlessly.
        for _ in 0..<Self.tries where invocation.has(.replace) {
            do {
                return try exists ? update(value, attributes) : add(value, attributes)
            } catch SecureStoreError.duplicate {
                exists = true
            } catch SecureStoreError.notFound {
                exists = false
            }
        }
        return try exists ? update(value, attributes) : add(value, attributes)
    }

    /// The attributes of the entry after the options.
    private func attributes(of value: borrowing SecretBytes) throws -> SecretAttributes {
        var attributes = entry?.attributes ?? SecretAttributes()
        attributes.label = invocation.text(of: .label) ?? attributes.label
        if invocation.has(.accessClass) { attributes.accessClass = AccessClass(option: invocation) }
        attributes.tags = tags
        if name.isAddress {
            attributes.extra = attributes.extra.describing(value)
        } else if entry?.field(ExtraAttribute.url) != nil {
            attributes.addresses = []
        }
        return attributes
    }

    /// Gives the other fields of the entry its new class, label and tags.
    private func describeOthers(as attributes: SecretAttributes) throws {
        let others = entry?.fields.filter { $0.name != name } ?? []
        let changes = others.compactMap { item -> SecretChange? in
            var edit = SecretEdit()
            if invocation.has(.label) { edit.label = attributes.label }
            if invocation.has(.accessClass) { edit.accessClass = attributes.accessClass }
            if invocation.has(.tagSecret) { edit.extra = item.attributes.tagged(tags) }
            guard edit != SecretEdit() else { return nil }
            return SecretChange(item.name, expecting: item.revision, .edit(edit))
        }
        if !changes.isEmpty { try store.change(changes) }
    }

    private func add(
        _ value: borrowing SecretBytes, _ attributes: SecretAttributes
    ) throws -> SecretItem {
        try store.save(value, as: name, attributes)
    }

    private func update(
        _ value: borrowing SecretBytes, _ attributes: SecretAttributes
    ) throws -> SecretItem {
        var edit = SecretEdit(label: invocation.text(of: .label))
        if invocation.has(.accessClass) { edit.accessClass = attributes.accessClass }
        if invocation.has(.tagSecret) || name.isAddress { edit.extra = attributes.extra }
        return try store.update(name, to: value, edit, expecting: nil)
    }
}
