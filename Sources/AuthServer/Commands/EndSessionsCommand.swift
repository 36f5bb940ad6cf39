internal import Accounts
internal import CommandLine

/// `account end-sessions`: signs an account out everywhere.
enum EndSessionsCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "end-sessions"],
        summary: "sign an account out everywhere",
        operands: [.email],
        notes: ["Revokes all its tokens."],
        examples: [
            .init("taskvault-authd account end-sessions ada@example.org", "after a theft")
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let count = try context.withAccounts { try $0.endSessions(of: email) }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("ended_sessions", count)
                try json.endObject()
            }
        }
        try context.printLine("ended \(counted(count, "session")) of \(email.text)")
    }
}
