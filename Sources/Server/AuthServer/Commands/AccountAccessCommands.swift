internal import Accounts
internal import CommandLine
internal import TextCoding

/// `account disable`: refuses sign-in to an account.
enum DisableAccountCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "disable"],
        summary: "disable sign-in to an account",
        operands: [.email],
        notes: ["Ends its sessions. A sign-in gets the same answer as with a wrong password."],
        examples: [.init("taskvault-authd account disable ada@example.org", "until enable")],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        try context.withAccounts { try $0.setDisabled(email, true) }
        try context.report("disabled", email)
    }
}

/// `account enable`: allows sign-in to an account again.
enum EnableAccountCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "enable"],
        summary: "enable sign-in to an account again",
        operands: [.email],
        examples: [.init("taskvault-authd account enable ada@example.org", "after disable")],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        try context.withAccounts { try $0.setDisabled(email, false) }
        try context.report("enabled", email)
    }
}

/// `account end-sessions`: signs an account out everywhere, or all accounts.
enum EndSessionsCommand: ServerCommand {
    private static let all = OptionDescription("all", "all accounts")

    static let description = CommandDescription(
        path: ["account", "end-sessions"],
        summary: "sign an account out everywhere",
        operands: [.optionalEmail],
        options: [all],
        notes: [
            """
            Revokes all its tokens, those of its inboxes too, and forgets its known devices. A password in a vault does not continue a session: its owner \
            types it again. A copied password still signs in, until account reset-code or account reset-password changes it.
            """
        ],
        examples: [
            .init("taskvault-authd account end-sessions ada@example.org", "after a theft"),
            .init("taskvault-authd account end-sessions --all", "after a theft at the server"),
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let isForAll = context.invocation.has(all)
        guard isForAll != (try context.optionalEmail() != nil) else {
            throw Failure.usage(
                isForAll ? "EMAIL and --all exclude each other" : "EMAIL or --all is missing")
        }
        let email = try context.optionalEmail()
        let count = try context.withAccounts { accounts in
            try email.map { try accounts.endSessions(of: $0) } ?? accounts.endAllSessions()
        }
        let change =
            "\(CommandTable.server.program) account reset-code \(email.map { ShellText.quote($0.text) } ?? "EMAIL")"
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                if let email { try json.member("email", email.text) }
                try json.member("ended_sessions", count)
                // A copied password still signs in.
                try json.member("change_password", change)
                try json.endObject()
            }
        }
        try context.printLine(
            "ended \(counted(count, "session")) of \(email?.text ?? "all accounts")")
        context.notices.remark("a copied password still signs in; for a new one: \(change)")
    }
}
