internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

/// `login`: signs in at the auth server, with what the vault has or with what the person types.
enum LoginCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            let account = try context.accountName(place)
            let other = try context.sessionOfAnother(than: account, place)
            try context.signIn(account, place, asking: try context.accountPasswords())
            switch consume other {
            case .some(let token): context.revoke(token, place)
            case .none: break
            }
            try context.report(account, place, "signed in")
        }
    }
}

extension CommandContext {
    /// The refresh token of somebody else who is signed in here, which a sign-in takes the place of.
    fileprivate func sessionOfAnother(
        than account: AccountName, _ place: SignInPlace
    ) throws(CommandFailure) -> SecretBytes? {
        try withCache(place) { cache -> SecretBytes? in
            guard let session = try cache.session(), session.account != account else { return nil }
            return try cache.token(.refresh)
        }
    }

    /// Tells who is signed in where.
    func report(
        _ account: AccountName, _ place: SignInPlace, _ done: String
    ) throws(CommandFailure) {
        guard isJSON else { return try printLine("\(done) as \(account.text) at \(place.server)") }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("account", account.text)
            try json.member("server", place.server)
            try json.member("state", "signed_in")
            try json.endObject()
        }
    }
}
