internal import Accounts
internal import CommandLine

/// `account reset-second-factor`: removes the second factors of an account.
enum ResetSecondFactorCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "reset-second-factor"],
        summary: "let a person sign in without a second factor",
        operands: [.email],
        notes: [
            """
            Removes authenticator app, passkeys and recovery codes of the account. Then the password alone signs in, until its owner adds a second factor. \
            Its sessions stay. Make sure who asks: the call is a way around the second factor.
            """
        ],
        examples: [
            .init(
                "taskvault-authd account reset-second-factor ada@example.org",
                "she lost her phone and her recovery codes")
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let count = try context.withAccounts { try $0.resetSecondFactors(of: email) }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("removed_second_factors", count)
                try json.endObject()
            }
        }
        try context.printLine("removed \(counted(count, "second factor")) of \(email.text)")
    }
}
