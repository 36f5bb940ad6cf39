internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret list`: lists the secrets without their values.
enum ListSecretsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let items = try context.withStore(.reading) { (store) throws(CommandFailure) in
            try context.explaining { () throws(SecureStoreError) in try store.secrets.list() }
        }
        if context.isJSON {
            try printJSON(items, context)
        } else if !items.isEmpty {
            try printTable(items, context)
        } else if Descriptor.isTerminal(context.surroundings.output) {
            context.notices.remark(
                "no secrets yet: \(context.folders.command("secret set --help"))")
        }
    }

    private static func printJSON(
        _ items: [SecretItem], _ context: CommandContext
    ) throws(CommandFailure) {
        try context.printJSON { (json) throws(OutputError) in
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
    ) throws(CommandFailure) {
        let titles = ["SERVICE", "ACCOUNT", "CLASS", "MODIFIED", "LABEL"]
        var table = TextTable(titles.map { TextTable.Column($0) })
        for item in items {
            table.add([
                item.name.service, item.name.account, item.attributes.accessClass.name,
                Timestamp.rfc3339(milliseconds: item.modified), item.attributes.label,
            ])
        }
        let columns = TerminalCapabilities(of: context.surroundings.output).columns
        try context.print { (output) throws(OutputError) in
            for line in table.lines(limit: columns) { try output.writeLine(line) }
        }
    }
}
