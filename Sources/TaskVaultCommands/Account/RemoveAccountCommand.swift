internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `account remove`: removes the account from the server, and its credentials from the vault.
enum RemoveAccountCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            let account = try context.signedInAccount(place)
            try context.requireConsent(to: "remove the account") { (prompt) throws(InputError) in
                try prompt.say(
                    "This removes the account \(account.text) from \(place.server), for good.")
                return try prompt.confirm(
                    "Type \(account.text) to remove it", byTyping: account.text)
            }
            let passwords = try context.accountPasswords()
            let password = try passwords.required("Password", "the password")
            let removed: Void? = try context.withAccessToken(
                of: account, place, asking: AccountPasswords(try context.copy(password))
            ) { token in
                try place.client.removeAccount(token, password: password)
            }
            guard removed != nil else {
                throw CommandFailure(.unsupported, at: place, context.folders)
            }
            try context.withCache(place) { cache in
                try cache.forgetPasswords(of: account)
                try cache.forgetSession()
            }
            try context.noteAccount(nil, place)
            try context.report("removed", "removed the account \(account.text)", place)
        }
    }
}
