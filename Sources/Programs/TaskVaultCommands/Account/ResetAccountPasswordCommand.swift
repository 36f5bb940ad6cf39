internal import Application
internal import CommandLine
internal import SecretMemory
internal import SignIn

/// `account reset`: sets a new password with a code from the server's operator, and signs in.
enum ResetAccountPasswordCommand: Command {
    static let description = CommandDescription(
        path: ["account", "reset"],
        summary: "set a new password by a code of the server's operator, and sign in",
        operands: [.email],
        options: [.passwordFile],
        notes: [
            "From a file the code is the first line and the new password the second. All sessions of the account end."
        ],
        examples: [.init("taskvault account reset ada@example.org", "the old one was forgotten")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.accountName(place)
            try place.client.requireAccounts()
            let passwords = try context.console.accountPasswords()
            let code = try passwords.required("Code", "the code")
            let new = try passwords.new()
            try place.client.resetPassword(of: account, to: new, code: code)
            // The passwords in the vault are no longer valid.
            try context.signIn.withCache(place) { cache in
                try cache.removePasswords(of: account)
                try cache.removeTokens()
                // TaskVault's server takes the used code for a known device once, so that guesses of others do not hold up this sign-in.
                try cache.store(device: code, of: account)
            }
            try context.signIn.signIn(account, place, asking: AccountPasswords(new, and: passwords))
            try context.report(account, place, "set the password; signed in")
        }
    }
}
