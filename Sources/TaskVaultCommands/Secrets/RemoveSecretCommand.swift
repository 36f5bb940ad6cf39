internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret remove`: removes a secret.
enum RemoveSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "remove"],
        summary: "remove a secret",
        operands: [.service, .account],
        examples: [.init("taskvault secret remove mail.example ada", "remove it permanently")],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        try context.vault.withStore(.changing) { store in
            try store.secrets.remove(name)
            guard context.console.isJSON else {
                return try context.console.printLine("removed \(name.typed)")
            }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("service", name.service)
                try json.member("account", name.account)
                try json.endObject()
            }
        }
    }
}
