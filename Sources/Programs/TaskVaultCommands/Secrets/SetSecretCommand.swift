internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret set`: saves a secret.
enum SetSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "set"],
        summary: "save a secret",
        operands: [.service, .account],
        options: [.field, .accessClass, .label, .tagSecret, .replace, .allowEmpty],
        notes: [
            valueNote,
            """
            An existing secret of this name is not changed without --replace; with it, the secret keeps its class unless --class is \
            given. A secret of the class after-verification can be read only during the verification window.
            """,
            """
            The secrets of one service and account are the fields of one entry: password, notes, url, totp, or any other name. Label, tags \
            and class are those of the entry. The field url can be searched and is not secret, unless it has a password inside.
            """,
        ],
        examples: [
            .init("taskvault secret set mail.example ada", "save a password that is asked for"),
            .init(
                "taskvault secret set mail.example ada --field notes < notes.txt",
                "add notes of several lines"),
            .init(
                "taskvault secret set --class after-verification diary 2026-12-01 < entry.txt",
                "save a protected text from a file"),
            .init(
                "printf %s \"$token\" | taskvault secret set --replace ci.example bot",
                "save or replace a token from a pipe"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent],
        surplusHint: valueHint)

    /// The note about the input of a value.
    static let valueNote = """
        The value is read from standard input byte for byte, up to 1 MiB; on a terminal it is asked for and not shown. An empty value, \
        as from a failed program, is refused without --allow-empty.
        """
    /// The hint for a value after the names.
    static let valueHint = """
        the value is read from standard input or asked for; an argument stays in the shell's history
        """

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        try context.vault.withStore(.changing) { store in
            let saving = try SecretSaving(name, store, context)
            let value = try context.console.readValue()
            try context.checkSeed(value, of: name)
            let item = try saving.save(value)
            try item.report("saved", on: context.console)
        }
    }
}

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
        if entry.field(name.field) != nil, !invocation.has(.replace) {
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
        if name.isAddress { attributes.extra = attributes.extra.describing(value) }
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

extension CommandContext {
    /// Fails early, without a change, if a secret requires verification.
    func requireWritable(_ item: SecretItem, in store: OpenStore) throws {
        if item.attributes.accessClass == .afterVerification { try vault.requireVerified(store) }
    }
}

extension AccessClass {
    /// The class that `--class` names, or the default.
    init(option invocation: Invocation) {
        self =
            invocation.text(of: .accessClass).flatMap { AccessClass(name: $0) } ?? .whileUnlocked
    }
}
