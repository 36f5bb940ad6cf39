internal import Application
internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret list`: lists the entries without their values.
enum ListSecretsCommand: Command {
    private static let removed = OptionDescription(
        "removed", "the removed secrets that secret restore can bring back, the last one first")

    private static let pattern = OperandDescription(
        "PATTERN", "a part of service, account, label, URL or tags, ignoring case", count: 0...1)

    static let description = CommandDescription(
        path: ["secret", "list"],
        summary: "list the entries without their values",
        operands: [pattern],
        options: [removed],
        notes: [
            """
            One line each, ordered by service and account. Items of programs, of tasks, of the inbox and of the sign-in are not shown; \
            --removed shows those that programs removed.
            """
        ],
        examples: [
            .init("taskvault secret list", "show all"),
            .init("taskvault secret list mail", "show those that match"),
            .init("taskvault secret list --json", "for a program"),
            .init("taskvault secret list --removed", "before a restore"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let search = context.invocation.texts(of: pattern).first.map { SecretSearch.part($0) }
        if context.invocation.has(removed) { return try listRemoved(search, context) }
        let items = try context.vault.withStore(.reading) { store in
            if let search { return try store.secrets.find(search) }
            var items = try store.secrets.list()
            items.removeAll { $0.name.isReserved }
            return items
        }
        let entries = SecretEntry.entries(of: items)
        if context.console.isJSON {
            try printJSON(entries, context)
        } else if !entries.isEmpty {
            try printTable(entries, context)
        } else if context.console.isTerminal {
            context.console.notices.remark(
                search == nil
                    ? "no secrets yet: \(context.folders.command("secret set --help"))"
                    : "no secret matches")
        }
    }

    private static func printJSON(_ entries: [SecretEntry], _ context: CommandContext) throws {
        try context.console.printJSON { json in
            try json.beginArray()
            for entry in entries {
                try json.beginObject()
                try json.members(of: entry)
                try json.endObject()
            }
            try json.endArray()
        }
    }

    private static func listRemoved(_ search: SecretSearch?, _ context: CommandContext) throws {
        let key = search?.key
        let secrets = try context.vault.withStore(.reading) { store in
            try store.secrets.removed().filter { secret in
                guard let search else { return secret.item.name.isRestorable }
                return search.finds(secret.item, key, orOfProgram: true)
            }
        }
        if context.console.isJSON {
            return try context.console.printJSON { json in
                try json.beginArray()
                for secret in secrets {
                    try json.beginObject()
                    try json.member("id", Hexadecimal.text(secret.id))
                    try json.members(of: secret.item)
                    try json.member("removed", milliseconds: secret.moved)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !secrets.isEmpty else {
            if context.console.isTerminal { context.console.notices.remark("no removed secrets") }
            return
        }
        let hasFields = secrets.contains { $0.item.name.hasOwnField }
        var table = TextTable(
            (["ID"] + names(hasFields) + ["REMOVED", "LABEL"]).map { TextTable.Column($0) })
        for secret in secrets {
            table.add(
                [String(Hexadecimal.text(secret.id).prefix(8))] + cells(secret.item, hasFields) + [
                    Timestamp.rfc3339(milliseconds: secret.moved), secret.item.label,
                ])
        }
        try context.console.print(table)
    }

    private static func names(_ hasFields: Bool) -> [String] {
        ["SERVICE", "ACCOUNT"] + (hasFields ? ["FIELD"] : [])
    }

    /// The names of a secret; the field `password` is not shown.
    private static func cells(_ item: SecretItem, _ hasFields: Bool) -> [String] {
        let field = item.name.hasOwnField ? item.name.field : ""
        return [item.name.service, item.name.account] + (hasFields ? [field] : [])
    }

    private static func printTable(_ entries: [SecretEntry], _ context: CommandContext) throws {
        // Columns that no entry needs are omitted.
        let hasFields = entries.contains(where: \.hasOwnFields)
        let hasTags = entries.contains { !$0.tags.isEmpty }
        let titles =
            ["SERVICE", "ACCOUNT"] + (hasFields ? ["FIELDS"] : []) + ["CLASS", "MODIFIED"]
            + (hasTags ? ["TAGS"] : []) + ["LABEL"]
        var table = TextTable(titles.map { TextTable.Column($0) })
        for entry in entries {
            var cells = [entry.name.service, entry.name.account]
            cells.reserveCapacity(titles.count)
            if hasFields { cells.append(entry.fields.map(\.name.field).joined(separator: ", ")) }
            cells.append(entry.accessClass.name)
            cells.append(Timestamp.rfc3339(milliseconds: entry.modified))
            if hasTags { cells.append(entry.tags.joined(separator: " ")) }
            cells.append(entry.label)
            table.add(cells)
        }
        try context.console.print(table)
    }
}
