internal import Accounts
internal import CommandLine
internal import TextCoding

/// `audit`: lists what happened to accounts.
enum AuditCommand: ServerCommand {
    private static let limit = OptionDescription(
        "limit", .number("COUNT", 1...100_000), "the largest number of events", standard: "100")

    static let description = CommandDescription(
        path: ["audit"],
        summary: "list changes by operators, new devices, reused tokens and guesses at names",
        operands: [.optionalEmail],
        options: [limit],
        notes: [
            """
            The newest events, the last one at the end; for an account, or for all accounts and invitations. They are kept for 90 days. Sign-ins and refusals \
            are in the log of the server alone.
            """
        ],
        examples: [
            .init("taskvault-authd audit", "of all accounts"),
            .init("taskvault-authd audit ada@example.org", "of one account"),
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.optionalEmail()
        let limit = context.invocation.number(of: limit) ?? 100
        let events = try context.withAccounts { try $0.events(of: email, limit: limit) }.reversed()
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.key("events")
                try json.beginArray()
                for (event, account) in events {
                    try json.beginObject()
                    try json.member("time", milliseconds: event.time.milliseconds)
                    try json.member("action", event.action.rawValue)
                    try json.member("subject", event.subject.text)
                    try json.member("email", account?.text)
                    try json.member("by", event.actor)
                    try json.member("network", event.network)
                    try json.member("device", event.device)
                    try json.endObject()
                }
                try json.endArray()
                try json.endObject()
            }
        }
        var table = TextTable(
            ["TIME", "EVENT", "ACCOUNT", "BY", "NETWORK"].map { TextTable.Column($0) }
                + [TextTable.Column("DEVICE", takesRest: true)])
        for (event, account) in events {
            table.add([
                event.time.text, event.action.rawValue, account?.text ?? event.subject.text,
                event.actor, event.network, event.device,
            ])
        }
        guard !events.isEmpty else { return }
        let columns = TerminalCapabilities(of: context.output).columns
        try context.printLines(table.lines(limit: columns))
    }
}
