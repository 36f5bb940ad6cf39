internal import Application
internal import CommandLine
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret remove`: removes an entry or one of its fields, which `secret restore` can bring back for some time.
enum RemoveSecretCommand: Command {
    private static let permanently = OptionDescription(
        "permanently", "erase it at once, with all its earlier values")
    private static let field = OptionDescription(
        "field", .stored("NAME", .field), "remove only this field of the entry")

    static let description = CommandDescription(
        path: ["secret", "remove"],
        summary: "remove an entry or one of its fields",
        operands: [.foundService, .foundAccount],
        options: [field, permanently, .yes],
        notes: [
            """
            Asks on a terminal, and needs --yes elsewhere. A removed secret stays in the vault for the time of the setting removed-days, \
            and secret restore brings it back. To erase a removed secret at once, restore it first.
            """,
            "On other devices that sync, also what --permanently erases here goes to the trash.",
        ],
        examples: [
            .init("taskvault secret remove mail.example ada", "it can be restored for 30 days"),
            .init("taskvault secret remove mail.example ada --field notes", "only the notes"),
            .init("taskvault secret remove --yes mail.example ada", "without a question"),
            .init(
                "taskvault secret remove --permanently mail.example ada",
                "erase it and its earlier values"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let isPermanent = context.invocation.has(permanently)
        try context.vault.withStore(.changing) { store in
            // A missing secret is reported before the question.
            let entry = try context.entry(in: store.secrets)
            let removal = try Removal(
                of: entry, context.invocation.text(of: field), permanently: isPermanent, context)
            let days = isPermanent ? 0 : try store.settings()[.removedDays]
            try ask(removal, days, context.console)
            try store.secrets.change(removal.changes)
            try report(removal, days, context)
        }
    }

    private static func ask(_ removal: Removal, _ days: UInt32, _ console: Console) throws {
        try console.requireConsent(to: "remove the secret") { prompt in
            try prompt.confirm(
                days == 0
                    ? "Remove \(removal.title) permanently, with all its earlier values?"
                    : "Remove \(removal.title)?")
        }
    }

    private static func report(
        _ removal: Removal, _ days: UInt32, _ context: CommandContext
    ) throws {
        guard context.console.isJSON else {
            try context.console.printLine("removed \(removal.typed)")
            if days > 0, context.console.isTerminal {
                context.console.notices.remark(
                    "for \(counted(Int(days), "day")) it can be brought back: "
                        + context.folders.command("secret restore \(removal.typed)"))
            }
            return
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("service", removal.entry.name.service)
            try json.member("account", removal.entry.name.account)
            try json.key("fields")
            try json.beginArray()
            for name in removal.fields { try json.string(name) }
            try json.endArray()
            try json.member("kept_days", days)
            try json.endObject()
        }
    }
}

/// The part of an entry to remove.
private struct Removal {
    let entry: SecretEntry
    /// The removed fields.
    let fields: [String]
    /// The names as operands of a command.
    let typed: String
    let changes: [SecretChange]

    /// The name in a question.
    var title: String {
        entry.fields.count > 1 && fields.count == entry.fields.count
            ? "\(typed) with \(counted(fields.count, "field"))" : typed
    }

    /// Selects the fields to remove: one field, or for nil the whole entry.
    init(
        of entry: SecretEntry, _ field: String?, permanently isPermanent: Bool,
        _ context: CommandContext
    ) throws {
        self.entry = entry
        guard let field else {
            fields = entry.fields.map(\.name.field)
            typed = entry.typed
            changes = entry.fields.map {
                SecretChange($0.name, expecting: $0.revision, .remove(permanently: isPermanent))
            }
            return
        }
        let name = try entry.name.with(field: field)
        let isAddress = name.isAddress && entry.url != nil
        guard isAddress || entry.field(field) != nil else {
            throw context.application.missing(name, of: entry)
        }
        fields = [field]
        typed = name.typed
        changes = entry.fields.compactMap { item in
            if item.name == name {
                return SecretChange(
                    name, expecting: item.revision, .remove(permanently: isPermanent))
            }
            // The other fields may have the address as an attribute.
            var attributes = item.attributes
            guard isAddress, attributes[ExtraAttribute.url] != nil else { return nil }
            attributes[ExtraAttribute.url] = nil
            return SecretChange(
                item.name, expecting: item.revision, .edit(SecretEdit(extra: attributes.extra)))
        }
    }
}
