internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `account remove`: removes the account from the server, and its credentials from the vault.
enum RemoveAccountCommand: Command {
    static let description = CommandDescription(
        path: ["account", "remove"],
        summary: "remove the account from the server, and its credentials from the vault",
        options: [.yes, .passwordFile],
        notes: [
            "Secrets and tasks stay: the server never had them."
        ],
        examples: [.init("taskvault account remove", "with a question")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.signIn.signedInAccount(place)
            // The check reports an unusable server before the question.
            try place.client.requireAccounts()
            try context.console.requireConsent(to: "remove the account") { prompt in
                try prompt.say(
                    "This removes the account \(account.text) from \(place.server) permanently.")
                return try prompt.confirm(
                    "Type \(account.text) to remove it", byTyping: account.text)
            }
            let passwords = try context.console.accountPasswords()
            let password = try passwords.required("Password", "the password")
            let removed: Void? = try context.signIn.withAccessToken(
                of: account, place, asking: AccountPasswords(try password.copy(), and: passwords)
            ) { token in
                try place.client.removeAccount(token, password: password)
            }
            guard removed != nil else {
                throw SignInError.unsupported
            }
            try context.signIn.withCache(place) { cache in
                try cache.removePasswords(of: account)
                try cache.removeSession()
            }
            try context.signIn.noteAccount(nil, place)
            try context.report("removed", "removed the account \(account.text)", place)
        }
    }
}
