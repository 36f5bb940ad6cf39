internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret list`: lists the secrets without their values.
enum ListSecretsCommand: Command {
    private static let removed = OptionDescription(
        "removed", "the removed secrets that secret restore can bring back, the last one first")

    static let description = CommandDescription(
        path: ["secret", "list"],
        summary: "list the secrets without their values",
        options: [removed],
        notes: [
            "One line each, ordered by service, account and field. Items of tasks and of the sign-in are not shown."
        ],
        examples: [
            .init("taskvault secret list", "show all"),
            .init("taskvault secret list --json", "for a program"),
            .init("taskvault secret list --removed", "before a restore"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        if context.invocation.has(removed) { return try listRemoved(context) }
        let items = try context.vault.withStore(.reading) { store in
            try store.secrets.list().filter { !$0.name.isReserved }
        }
        if context.console.isJSON {
            try printJSON(items, context)
        } else if !items.isEmpty {
            try printTable(items, context)
        } else if context.console.isTerminal {
            context.console.notices.remark(
                "no secrets yet: \(context.folders.command("secret set --help"))")
        }
    }

    private static func printJSON(
        _ items: [SecretItem], _ context: CommandContext
    ) throws {
        try context.console.printJSON { json in
            try json.beginArray()
            for item in items {
                try json.beginObject()
                try json.members(of: item)
                try json.endObject()
            }
            try json.endArray()
        }
    }

    private static func listRemoved(_ context: CommandContext) throws {
        let secrets = try context.vault.withStore(.reading) { store in
            try store.secrets.removed().filter { !$0.item.name.isReserved }
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
                    Timestamp.rfc3339(milliseconds: secret.moved), secret.item.attributes.label,
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

    private static func printTable(
        _ items: [SecretItem], _ context: CommandContext
    ) throws {
        let hasFields = items.contains { $0.name.hasOwnField }
        let titles = names(hasFields) + ["CLASS", "MODIFIED", "LABEL"]
        var table = TextTable(titles.map { TextTable.Column($0) })
        for item in items {
            table.add(
                cells(item, hasFields) + [
                    item.attributes.accessClass.name,
                    Timestamp.rfc3339(milliseconds: item.modified), item.attributes.label,
                ])
        }
        try context.console.print(table)
    }
}
