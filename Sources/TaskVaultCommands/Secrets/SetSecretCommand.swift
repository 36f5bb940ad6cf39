internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret set`: saves a secret.
enum SetSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "set"],
        summary: "save a secret",
        operands: [.service, .account],
        options: [.field, .accessClass, .label, .replace, .allowEmpty],
        notes: [
            valueNote,
            """
            An existing secret of this name is not changed without --replace; with it, the secret keeps its class unless --class is \
            given. A secret of the class after-verification can be read only during the verification window.
            """,
        ],
        examples: [
            .init("taskvault secret set mail.example ada", "save a password that is asked for"),
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

    /// How a value is read.
    static let valueNote = """
        The value is read from standard input byte for byte, up to 1 MiB; on a terminal it is asked for and not shown. An empty value, \
        as from a failed program, is refused without --allow-empty.
        """
    /// The hint for a value behind the names.
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

/// Saves a secret as `secret set` and `secret generate` do.
struct SecretSaving {
    private static let tries = 8

    private let name: SecretName
    private let store: any SecureStore
    private let invocation: Invocation
    /// Whether the secret existed before the question.
    private let exists: Bool

    /// Looks whether the name is taken, before the person is asked for a value.
    ///
    /// - Throws: A failure for a name that is taken, unless `--replace` was given; `notVerified`.
    init(_ name: SecretName, _ store: OpenStore, _ context: CommandContext) throws {
        self.name = name
        self.store = store.secrets
        invocation = context.invocation
        let known = try Self.described(name, in: store.secrets)
        exists = known != nil
        if AccessClass(option: invocation) == .afterVerification {
            try context.vault.requireVerified(store)
        }
        guard let known else { return }
        guard invocation.has(.replace) else {
            throw CommandFailure(
                .alreadyExists, "secret \(name.typed) already exists",
                hint: context.folders.command(
                    "\(invocation.command.name) --replace \(name.typed)"))
        }
        try context.requireWritable(known, in: store)
    }

    private static func described(
        _ name: SecretName, in store: any SecureStore
    ) throws -> SecretItem? {
        do {
            return try store.describe(name)
        } catch SecureStoreError.notFound {
            return nil
        }
    }

    /// Saves a value; one that replaces another keeps what the options leave out.
    ///
    /// - Returns: The description of the saved secret.
    func save(_ value: borrowing SecretBytes) throws -> SecretItem {
        var exists = exists
        // With --replace it does not matter what other programs did with the name meanwhile; none does so again and again.
        for _ in 0..<Self.tries where invocation.has(.replace) {
            do {
                return try exists ? update(value) : add(value)
            } catch SecureStoreError.duplicate {
                exists = true
            } catch SecureStoreError.notFound {
                exists = false
            }
        }
        return try exists ? update(value) : add(value)
    }

    private func add(_ value: borrowing SecretBytes) throws -> SecretItem {
        let attributes = SecretAttributes(
            label: invocation.text(of: .label) ?? "", accessClass: AccessClass(option: invocation))
        return try store.save(value, as: name, attributes)
    }

    private func update(_ value: borrowing SecretBytes) throws -> SecretItem {
        var edit = SecretEdit(label: invocation.text(of: .label))
        if invocation.has(.accessClass) { edit.accessClass = AccessClass(option: invocation) }
        return try store.update(name, to: value, edit, expecting: nil)
    }
}

extension CommandContext {
    /// Fails early, with nothing changed, if a secret requires verification.
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
