internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret restore`: makes an earlier value the current one, or restores a removed secret.
enum RestoreSecretCommand: Command {
    private static let id = OptionDescription(
        "id", .text("ID"), "one of several removed secrets of this name: a beginning of its id")

    static let description = CommandDescription(
        path: ["secret", "restore"],
        summary: "bring back an earlier value or a removed secret",
        operands: [.foundService, .foundAccount],
        options: [.field, .revision, id, .newService, .newAccount],
        exclusive: [.revision, id],
        notes: [
            """
            Of an existing secret, the value that was replaced last, or that of --revision, becomes the next revision; the replaced value can \
            be restored, too. A removed secret comes back with its earlier values, of several the one that was removed last; without --field all \
            fields that were removed with it. If its name was taken again, --service or --account gives it another one.
            """,
            "An item that a program removed over D-Bus comes back, too: by its label, or by the names that secret list --removed shows.",
        ],
        examples: [
            .init(
                "taskvault secret restore mail.example ada", "after a mistaken change or removal"),
            .init(
                "taskvault secret restore mail.example ada --revision 3",
                "a value that secret history shows"),
            .init(
                "taskvault secret restore mail.example ada --account ada-old",
                "a removed secret beside the new one of its name"),
            .init(
                "taskvault secret restore 'Chromium Safe Storage'",
                "the removed key of a browser, by its label"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        let prefix = invocation.text(of: id)
        let revision = invocation.number(of: .revision)
        let isRenamed = invocation.has(.newService) || invocation.has(.newAccount)
        guard revision == nil || !isRenamed else {
            throw Failure.usage(
                "an earlier value has no name of its own",
                hint: "leave out --service and --account")
        }
        let items = try context.vault.withStore(.changing) { store -> [SecretItem] in
            let name = try name(in: store.secrets, context)
            if !isRenamed, prefix == nil,
                let item = try restoreValue(name, revision, store, context)
            {
                return [item]
            }
            let items = try bringBack(name, prefix, store, context)
            if let item = items.first(where: \.name.isAddress) {
                try store.secrets.moveAddressesIntoField(of: item.name)
            }
            return items
        }
        if items.count == 1 { return try items[0].report("restored", on: context.console) }
        try SecretEntry(fields: items).report("restored", on: context.console)
    }

    private static func name(
        in store: any SecureStore, _ context: CommandContext
    ) throws -> SecretName {
        guard context.invocation.texts(of: .foundAccount).isEmpty else {
            return try context.foundSecretName(in: store, orOfProgram: true)
        }
        let entry = try context.entry(in: store, orRemoved: true)
        let name = try entry.name.with(field: context.chosenField)
        context.errors.secret = name
        return name
    }

    /// Restores an earlier value; nil if the name is free and no revision is wanted.
    private static func restoreValue(
        _ name: SecretName, _ revision: Int?, _ store: OpenStore, _ context: CommandContext
    ) throws -> SecretItem? {
        let history: [EarlierSecret]
        do {
            history = try store.secrets.history(of: name)
        } catch {
            guard error == .notFound, revision == nil else { throw error }
            return nil
        }
        let number = try context.revision(revision, in: history, of: "secret \(name.typed)") {
            let isRemoved = try store.secrets.removed().contains { $0.item.name == name }
            return isRemoved
                ? "secret restore \(name.typed) --account NAME" : "secret history \(name.typed)"
        }
        return try context.vault.verifying(store) {
            try store.secrets.restore(name, toRevision: number)
        }
    }

    private static func bringBack(
        _ name: SecretName, _ prefix: String?, _ store: OpenStore, _ context: CommandContext
    ) throws -> [SecretItem] {
        let isWhole = prefix == nil && !context.invocation.has(.field)
        let found = try store.secrets.removed().filter { secret in
            (isWhole ? secret.item.name.hasSameEntry(as: name) : secret.item.name == name)
                && Hexadecimal.text(secret.id).hasPrefix((prefix ?? "").lowercased())
        }
        guard let last = found.first else {
            throw Failure(
                .notFound, code: "not_removed",
                prefix == nil
                    ? "there is no secret \(name.typed), removed or not"
                    : "no removed secret \(name.typed) has an id that begins so",
                hint: context.folders.command("secret list --removed"))
        }
        guard prefix == nil || found.count == 1 else {
            throw Failure.usage(
                "several removed secrets have an id that begins so",
                hint: context.folders.command("secret list --removed"))
        }
        let together = isWhole ? found.filter { $0.moved == last.moved } : [last]
        // The field `password` is restored last, so an interrupted command can be repeated.
        let sorted =
            together.filter { !$0.item.name.isStandardField }
            + together.filter(\.item.name.isStandardField)
        return try sorted.map { try bringBack($0, store, context) }.reversed()
    }

    private static func bringBack(
        _ secret: EarlierSecret, _ store: OpenStore, _ context: CommandContext
    ) throws -> SecretItem {
        let name = secret.item.name
        let newName = try context.newName(of: name)
        do {
            return try context.vault.verifying(store) {
                try store.secrets.restore(removed: secret.id, as: newName)
            }
        } catch SecureStoreError.duplicate {
            let taken = newName ?? name
            throw Failure(
                .alreadyExists, "secret \(taken.typed) already exists",
                hint: context.folders.command("secret restore \(name.typed) --account NAME")
                    + " brings the removed one back under another name")
        }
    }
}

extension CommandContext {
    /// The revision of an earlier value: the requested one, or the last.
    ///
    /// - Throws: A failure if there is none; `hint` gives a command that helps.
    func revision(
        _ wanted: Int?, in history: [EarlierSecret], of subject: String, hint: () throws -> String
    ) throws -> UInt64 {
        let revision = wanted.map { UInt64($0) } ?? history.first?.item.revision
        if let revision, history.contains(where: { $0.item.revision == revision }) {
            return revision
        }
        throw Failure(
            .notFound, code: "no_earlier_value",
            wanted.map { "\(subject) has no earlier value with revision \($0)" }
                ?? "\(subject) has no earlier value",
            hint: folders.command(try hint()))
    }
}

extension OptionDescription {
    static let revision = OptionDescription(
        "revision", .number("N", 1...999_999_999), "the revision of the earlier value")
}
