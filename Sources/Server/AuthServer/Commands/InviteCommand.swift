internal import Accounts
internal import CommandLine
internal import TextCoding

/// `account invite`: prints an invitation code for one account.
enum InviteCommand: ServerCommand {
    private static let expires = OptionDescription(
        "expires", .text("TIME"),
        "how long the invitation is valid, such as 12h or 7d (default: the setting invitation-lifetime)"
    )

    static let description = CommandDescription(
        path: ["account", "invite"],
        summary: "invite a person to create an account",
        operands: [.email],
        options: [expires],
        notes: [
            """
            Prints a code once. With it, the account of this e-mail address can be created once, until the code expires. An earlier invitation for the \
            address becomes invalid.
            """
        ],
        examples: [
            .init("taskvault-authd account invite ada@example.org", "for a week"),
            .init("taskvault-authd account invite ada@example.org --expires 12h", "for 12 hours"),
        ],
        exitCodes: .ofDatabase + [.alreadyExists])

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        var rules = AccountRules(context.settings)
        if let text = context.invocation.text(of: expires) {
            let type = ServerSettings.invitationLifetime.type
            guard let lifetime = type.read(text) else {
                throw Failure.usage(
                    "option '\(expires.spelling)' \(type.violation(text) ?? "is invalid")")
            }
            rules.invitationLifetime = lifetime
        }
        let now = context.now
        let issued = try context.withAccounts(creating: true, rules: rules) {
            try $0.invite(email, at: now)
        }
        let expires = issued.invitation.expires.text
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", issued.invitation.email.text)
                try json.member("code", issued.code)
                try json.member("expires", expires)
                try json.endObject()
            }
        }
        try context.printLine(issued.code)
        context.notices.remark("for \(issued.invitation.email.text), once, until \(expires)")
    }
}
