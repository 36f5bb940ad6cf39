internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// `logout`: removes the tokens, and ends the session at the server.
enum LogoutCommand: Command {
    static let description = CommandDescription(
        path: ["logout"],
        summary: "sign out, here and at the server",
        options: [.forget],
        notes: [
            """
            Ends the session at the server and removes the tokens from the vault; unlock does not sign in automatically until the next \
            login. The password stays in the vault, so that login does not ask for it, unless --forget is given. If the server cannot be \
            reached, the session expires there.
            """
        ],
        examples: [
            .init("taskvault logout", "until the next login"),
            .init("taskvault logout --forget", "and forget the password"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            guard
                let account = try context.signIn.session(place)?.account ?? place.settings.account
            else {
                throw Failure(.notFound, code: "not_signed_in", "no account has signed in")
            }
            let forgets = context.invocation.has(.forget)
            // The local session ends first, so the person is signed out even if the server cannot be reached.
            let token = try context.signIn.withCache(place) { cache in
                let token = try cache.token(.refresh)
                try cache.signOut(of: account)
                if forgets { try cache.removePasswords(of: account) }
                return token
            }
            if forgets { try context.signIn.noteAccount(nil, place) }
            switch consume token {
            case .some(let token): context.signIn.revoke(token, place)
            case .none:
                context.console.notices.warn(
                    "not_revoked",
                    "the vault has no session of this machine; a session at the server expires there"
                )
            }
            try context.report("signed_out", "signed out of \(place.server)", place)
        }
    }
}

extension OptionDescription {
    static let forget = OptionDescription(
        "forget", "also remove the account's password from the vault")
}
