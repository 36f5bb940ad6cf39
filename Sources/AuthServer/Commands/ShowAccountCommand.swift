internal import Accounts
internal import CommandLine

/// `account show`: shows an account and its sessions.
enum ShowAccountCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let now = context.now
        let details = try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.details(of: email, at: now)
        }
        if context.isJSON {
            try printJSON(details, context)
        } else {
            try printText(details, context)
        }
    }

    private static func printText(
        _ details: AccountDetails, _ context: ServerContext
    ) throws {
        let account = details.account
        let lines = [
            ("email", account.email.text), ("id", account.id.text), ("state", account.state),
            ("created", account.created.text),
            ("password", "of " + account.passwordChanged.text),
            ("known places", String(details.places)), ("sessions", String(details.sessions.count)),
        ]
        var table = TextTable(
            ["CLIENT", "SINCE", "USED", "ENDS"].map { TextTable.Column($0) })
        for session in details.sessions {
            table.add(
                [session.client]
                    + [session.created, session.refreshed, session.expires].map {
                        $0.text
                    })
        }
        let columns = TerminalCapabilities(of: context.output).columns
        try context.print { output in
            for (name, value) in lines {
                try output.writeLine(TextWidth.pad(name, to: 14) + VisibleText.escape(value))
            }
            if details.sessions.isEmpty { return }
            try output.writeLine("")
            for line in table.lines(limit: columns) { try output.writeLine(line) }
        }
    }

    private static func printJSON(
        _ details: AccountDetails, _ context: ServerContext
    ) throws {
        try context.printJSON { json in
            try json.beginObject()
            try json.members(of: details.account)
            try json.member("known_places", details.places)
            try json.key("sessions")
            try json.beginArray()
            for session in details.sessions {
                try json.beginObject()
                try json.member("id", session.id.text)
                try json.member("client", session.client)
                try json.member("created", milliseconds: session.created.milliseconds)
                try json.member("refreshed", milliseconds: session.refreshed.milliseconds)
                try json.member("expires", milliseconds: session.expires.milliseconds)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}
