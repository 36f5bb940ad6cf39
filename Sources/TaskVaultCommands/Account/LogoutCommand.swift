internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `logout`: forgets the tokens, and ends the session at the server.
enum LogoutCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            guard
                let account = try context.machineSession(place)?.account ?? place.settings.account
            else {
                throw CommandFailure(.notFound, code: "not_signed_in", "nobody has signed in")
            }
            let forgets = context.invocation.has(.forget)
            // Here first: whatever comes of the server, nobody is signed in here any more.
            let token = try context.withCache(place) { cache in
                let token = try cache.token(.refresh)
                try cache.signOut(of: account)
                if forgets { try cache.forgetPasswords(of: account) }
                return token
            }
            if forgets { try context.noteAccount(nil, place) }
            switch consume token {
            case .some(let token): context.revoke(token, place)
            case .none:
                context.notices.warn(
                    "not_revoked",
                    "there was no session of this machine in the vault: one that there is at the server ends by itself"
                )
            }
            try context.report("signed_out", "signed out of \(place.server)", place)
        }
    }
}

extension CommandContext {
    /// Tells the server that a session is over.
    func revoke(_ token: borrowing SecretBytes, _ place: SignInPlace) {
        do {
            try place.client.revoke(token)
        } catch AuthClientError.unsupported {
            // The tokens are gone here, and end there by themselves.
        } catch {
            let failure = CommandFailure(asking: place, error, folders)
            notices.warn(
                "not_revoked",
                "the server was not told, so the session ends there by itself: \(failure.message)")
        }
    }

    /// Tells how it stands with the server now.
    func report(
        _ state: String, _ line: String, _ place: SignInPlace
    ) throws(CommandFailure) {
        guard isJSON else { return try printLine(line) }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("server", place.server)
            try json.member("state", state)
            try json.endObject()
        }
    }
}
