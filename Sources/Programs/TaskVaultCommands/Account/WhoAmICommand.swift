internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// `whoami`: shows the account that is signed in, as the server reports it.
enum WhoAmICommand: Command {
    static let description = CommandDescription(
        path: ["whoami"],
        summary: "show the account that is signed in, as the server reports it",
        notes: [
            """
            Asks the server, never the person. If the server cannot be reached, it shows how long the sign-in is valid offline.
            """
        ],
        examples: [.init("taskvault whoami --json", "for a script")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            guard let session = try context.signIn.session(place), !session.isSignedOut else {
                throw context.signIn.notSignedIn(place)
            }
            do {
                let name = try name(of: session.account, place, context)
                try print(name, place, offlineUntil: nil, context)
            } catch let error as SignInError {
                guard error.isOffline,
                    case .until(let end) = try context.signIn.offline(place)
                else { throw error }
                context.console.notices.warn(
                    "server_unreachable", context.errors.failure(error).message)
                try print(session.account.text, place, offlineUntil: end, context)
            }
        }
    }

    /// The account name in the server's spelling. Servers other than TaskVault's only confirm the account by a sign-in.
    private static func name(
        of account: AccountName, _ place: SignInPlace, _ context: CommandContext
    ) throws -> String {
        guard try place.client.describesAccounts() else {
            try context.signIn.signIn(account, place, asking: AccountPasswords(), isAskedFor: false)
            return account.text
        }
        return try context.signIn.withAccessToken(
            of: account, place, asking: AccountPasswords(), isAskedFor: false
        ) { token in try place.client.account(token).name } ?? account.text
    }

    private static func print(
        _ name: String, _ place: SignInPlace, offlineUntil end: PointInTime?,
        _ context: CommandContext
    ) throws {
        let console = context.console
        guard console.isJSON else {
            let offline =
                end.map { " (offline, valid for \(context.signIn.timeLeft(until: $0)))" } ?? ""
            return try console.printLine("\(name) at \(place.server)\(offline)")
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("account", name)
            try json.member("offline_until", milliseconds: end?.milliseconds)
            try json.member("server", place.server)
            try json.member("state", end == nil ? "signed_in" : "offline")
            try json.endObject()
        }
    }
}
