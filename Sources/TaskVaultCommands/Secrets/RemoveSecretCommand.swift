internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret remove`: removes a secret, which can be brought back for some time.
enum RemoveSecretCommand: Command {
    private static let permanently = OptionDescription(
        "permanently", "erase it at once, with all its earlier values")

    static let description = CommandDescription(
        path: ["secret", "remove"],
        summary: "remove a secret",
        operands: [.service, .account],
        options: [.field, permanently, .yes],
        notes: [
            """
            Asks on a terminal. A removed secret stays in the vault for the time of the setting removed-days, and secret restore brings it \
            back. To erase a removed secret at once, restore it first.
            """
        ],
        examples: [
            .init("taskvault secret remove mail.example ada", "it can be restored for 30 days"),
            .init("taskvault secret remove --yes mail.example ada", "without a question"),
            .init(
                "taskvault secret remove --permanently mail.example ada",
                "erase it and its earlier values"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        let isPermanent = context.invocation.has(permanently)
        try context.vault.withStore(.changing) { store in
            // A missing secret is reported before the question.
            _ = try store.secrets.describe(name)
            let days = isPermanent ? 0 : try store.settings().removedDays
            try ask(name, days, isPermanent, context.console)
            try store.secrets.remove(name, expecting: nil, permanently: isPermanent)
            try report(name, days, context)
        }
    }

    /// Asks a person. A script need not confirm what it can take back.
    private static func ask(
        _ name: SecretName, _ days: UInt32, _ isPermanent: Bool, _ console: Console
    ) throws {
        guard isPermanent || days == 0 || console.canAsk else { return }
        try console.requireConsent(to: "remove the secret") { prompt in
            try prompt.confirm(
                days == 0
                    ? "Remove \(name.typed) permanently, with all its earlier values?"
                    : "Remove \(name.typed)?")
        }
    }

    private static func report(
        _ name: SecretName, _ days: UInt32, _ context: CommandContext
    ) throws {
        guard context.console.isJSON else {
            try context.console.printLine("removed \(name.typed)")
            if days > 0, context.console.isTerminal {
                context.console.notices.remark(
                    "for \(counted(Int(days), "day")) it can be brought back: "
                        + context.folders.command("secret restore \(name.typed)"))
            }
            return
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("service", name.service)
            try json.member("account", name.account)
            try json.member("field", name.field)
            try json.member("kept_days", days)
            try json.endObject()
        }
    }
}
