internal import Accounts
internal import CommandLine
internal import Platform

/// `account list`: lists accounts and invitations.
enum ListAccountsCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "list"],
        summary: "list accounts and invitations",
        examples: [
            .init("taskvault-authd account list", "accounts and open invitations"),
            .init("taskvault-authd account list --json", "for a script"),
        ],
        exitCodes: .ofDatabase)

    /// The number of accounts read at once.
    private static let pageSize = 1_000

    static func run(_ context: ServerContext) throws {
        let now = context.now
        let (accounts, invitations) = try context.withAccounts { administration in
            (try all(administration), try administration.invitations(at: now))
        }
        if context.isJSON {
            try printJSON(accounts, invitations, context)
        } else {
            try printTable(accounts, invitations, context)
        }
    }

    private static func all(
        _ administration: AccountAdministration
    ) throws -> [Account] {
        var accounts: [Account] = []
        while true {
            let page = try administration.accounts(after: accounts.last?.email, limit: pageSize)
            accounts += page
            if page.count < pageSize { return accounts }
        }
    }

    private static func printTable(
        _ accounts: [Account], _ invitations: [Invitation], _ context: ServerContext
    ) throws {
        if accounts.isEmpty, invitations.isEmpty {
            if Descriptor.isTerminal(context.output) {
                context.notices.remark("no accounts yet: taskvault-authd account invite EMAIL")
            }
            return
        }
        var table = TextTable(["EMAIL", "STATE", "SINCE"].map { TextTable.Column($0) })
        for account in accounts {
            table.add([
                account.email.text, account.state, account.created.text,
            ])
        }
        for invitation in invitations {
            table.add([
                invitation.email.text, "invited", invitation.created.text,
            ])
        }
        let columns = TerminalCapabilities(of: context.output).columns
        try context.printLines(table.lines(limit: columns))
    }

    private static func printJSON(
        _ accounts: [Account], _ invitations: [Invitation], _ context: ServerContext
    ) throws {
        try context.printJSON { json in
            try json.beginObject()
            try json.key("accounts")
            try json.beginArray()
            for account in accounts {
                try json.beginObject()
                try json.members(of: account)
                try json.endObject()
            }
            try json.endArray()
            try json.key("invitations")
            try json.beginArray()
            for invitation in invitations {
                try json.beginObject()
                try json.member("email", invitation.email.text)
                try json.member("created", milliseconds: invitation.created.milliseconds)
                try json.member("expires", milliseconds: invitation.expires.milliseconds)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}
