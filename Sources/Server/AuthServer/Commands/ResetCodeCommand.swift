internal import Accounts
internal import CommandLine

/// `account reset-code`: prints a code for setting a new password of an account.
enum ResetCodeCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "reset-code"],
        summary: "let a person set a new password",
        operands: [.email],
        notes: [
            "Prints a code once. With it, taskvault account reset sets a new password once, within 24 hours. Until then nothing changes."
        ],
        examples: [
            .init("taskvault-authd account reset-code ada@example.org", "she forgot hers")
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let now = context.now
        let issued = try context.withAccounts { try $0.makeResetCode(for: email, at: now) }
        let expires = issued.invitation.expires.text
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("code", issued.code)
                try json.member("expires", expires)
                try json.endObject()
            }
        }
        try context.printLine(issued.code)
        context.notices.remark("for \(email.text), once, until \(expires)")
    }
}
