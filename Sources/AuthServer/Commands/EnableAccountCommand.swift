internal import Accounts
internal import CommandLine

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
