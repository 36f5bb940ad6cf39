internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret list`: lists the secrets without their values.
enum ListSecretsCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "list"],
        summary: "list the secrets without their values",
        notes: [
            "One line each, ordered by service and account. Items of tasks and of the sign-in are not shown."
        ],
        examples: [
            .init("taskvault secret list", "show all"),
            .init("taskvault secret list --json", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
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

    private static func printTable(
        _ items: [SecretItem], _ context: CommandContext
    ) throws {
        let titles = ["SERVICE", "ACCOUNT", "CLASS", "MODIFIED", "LABEL"]
        var table = TextTable(titles.map { TextTable.Column($0) })
        for item in items {
            table.add([
                item.name.service, item.name.account, item.attributes.accessClass.name,
                Timestamp.rfc3339(milliseconds: item.modified), item.attributes.label,
            ])
        }
        try context.console.print(table)
    }
}
