internal import Application
internal import CommandLine
internal import Secrets
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret edit`: changes name, label, tags or class of an entry.
enum EditSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "edit"],
        summary: "change name, label, tags or class of an entry, or a field in an editor",
        operands: [.foundService, .foundAccount],
        options: changing + [.editor, .editedField],
        notes: [
            "All fields of the entry change in one step; their values stay.",
            """
            --change-every makes a task in the to-do list that repeats, and --expires one for a day. The text of the task is in the vault. secret \
            update, secret set --replace and secret generate --replace complete it; secret audit reports a day that has passed.
            """,
            """
            --editor opens the field in the program of VISUAL or EDITOR, else vi, and makes it if the entry has none. The text is in a folder \
            of its own in memory, below XDG_RUNTIME_DIR. It is also the editor's home, so that swap files, undo files and histories stay in it; \
            its configuration is not read. All of it is removed afterwards. An editor that fails, as vim by :cq, changes nothing.
            """,
        ],
        examples: [
            .init(
                "taskvault secret edit mail.example ada --label 'Mail at home'",
                "change the label"),
            .init("taskvault secret edit mail --tag home --untag work", "change the tags"),
            .init(
                "taskvault secret edit mail.example ada --account ada.lovelace",
                "rename the account"),
            .init(
                "taskvault secret edit bank.example ada --class after-verification",
                "protect it"),
            .init("taskvault secret edit mail --field notes --editor", "the notes in an editor"),
            .init("taskvault secret edit bank --change-every 90d", "a task every 90 days"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    private static let changing: [OptionDescription] = [
        .newService, .newAccount, .newLabel, .tagSecret, .untagSecret, .newClass, .changeEvery,
        .expires,
    ]

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        if invocation.has(.editor) || invocation.has(.editedField) {
            return try FieldEditing(context).run(unless: changing)
        }
        guard changing.contains(where: invocation.has) else { throw nothingToChange(context) }
        try context.vault.withStore(.changing) { store in
            let entry = try context.entry(in: store.secrets)
            // The task is there before the entry names it.
            let renewal = try context.renewal(of: entry).map {
                try context.plan($0, of: entry, in: store)
            }
            let changes = try changes(of: entry, renewal, store.secrets, context)
            let items = try context.vault.verifying(store) {
                try store.secrets.change(changes)
            }
            try SecretEntry(fields: items).report("edited", on: context.console)
        }
    }

    private static func changes(
        of entry: SecretEntry, _ renewal: SecretRenewal?, _ store: any SecureStore,
        _ context: CommandContext
    ) throws -> [SecretChange] {
        let invocation = context.invocation
        let tags = try invocation.tags(after: entry.tags)
        let newName = try context.newName(of: entry.name)
        if let newName, !newName.hasSameEntry(as: entry.name),
            let taken = try context.application.entry(of: newName, in: store)
        {
            context.errors.secret = taken.name
            throw SecureStoreError.duplicate
        }
        return try entry.fields.map { item in
            var edit = SecretEdit(name: try newName?.with(field: item.name.field))
            edit.label = invocation.text(of: .newLabel)
            edit.accessClass = invocation.text(of: .newClass).flatMap { AccessClass(name: $0) }
            var attributes = item.attributes
            if tags != attributes.tags { attributes.tags = tags }
            renewal?.write(to: &attributes)
            if attributes.extra != item.attributes.extra { edit.extra = attributes.extra }
            return SecretChange(item.name, expecting: item.revision, .edit(edit))
        }
    }

    private static func nothingToChange(_ context: CommandContext) -> Failure {
        let names =
            [context.invocation.text(of: .foundService)]
            + context.invocation.texts(of: .foundAccount)
        return Failure.usage(
            "nothing to change",
            hint:
                "give --service, --account, --label, --tag, --untag, --class, --change-every or --expires; a new value: "
                + context.folders.command(
                    "secret update " + names.map(ShellText.quote).joined(separator: " ")))
    }
}

extension CommandContext {
    /// The name of a secret after `--service` and `--account`; nil without them. The field stays.
    func newName(of name: SecretName) throws -> SecretName? {
        let service = invocation.text(of: .newService)
        let account = invocation.text(of: .newAccount)
        guard service != nil || account != nil else { return nil }
        let new = try SecretName(
            service: service ?? name.service, account: account ?? name.account, field: name.field)
        try application.requireOwn(new)
        return new
    }
}

extension OptionDescription {
    static let newClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read from now on")
    static let newLabel = OptionDescription(
        "label", .text("TEXT"), "the new description")
    static let newService = OptionDescription(
        "service", .text("NAME"), "the new service")
    static let newAccount = OptionDescription(
        "account", .text("NAME"), "the new account")
}
