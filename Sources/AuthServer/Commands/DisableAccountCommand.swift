internal import Accounts
internal import CommandLine

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
