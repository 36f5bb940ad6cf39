internal import Accounts
internal import CommandLine
internal import TextCoding

/// `account remove`: removes an account, or an invitation.
enum RemoveAccountCommand: ServerCommand {
    private static let yes = OptionDescription("yes", "do it without asking; for scripts")

    static let description = CommandDescription(
        path: ["account", "remove"],
        summary: "remove an account, or an invitation, permanently",
        operands: [.email],
        options: [yes],
        examples: [
            .init("taskvault-authd account remove ada@example.org", "after asking"),
            .init("taskvault-authd account remove ada@example.org --yes", "in a script"),
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let surroundings = context.surroundings
        try Consent.require(
            to: "remove \(email.text)", unless: yes, in: context.invocation,
            from: surroundings.standardInput
        ) {
            try surroundings.openTerminal().confirm(
                "Remove \(email.text) and all its data? This cannot be undone")
        }
        do {
            try context.withAccounts { try $0.remove(email) }
        } catch AccountError.missing {
            throw Failure(
                .notFound, code: "no_account", "account or invitation not found",
                hint: "taskvault-authd account list")
        }
        try context.report("removed", email)
    }
}
