internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// `whoami`: tells who is signed in, as the server sees it.
enum WhoAmICommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        try context.withSignIn { (place) throws(CommandFailure) in
            guard let session = try context.machineSession(place), !session.isSignedOut else {
                throw context.notSignedIn(place)
            }
            do throws(CommandFailure) {
                let name = try context.name(of: session.account, place)
                try context.print(name, place, offlineUntil: nil)
            } catch {
                guard error.exitCode == .serverUnreachable,
                    error.code == ExitCode.serverUnreachable.name,
                    case .until(let end) = try context.offline(place)
                else { throw error }
                context.notices.warn("server_unreachable", error.message)
                try context.print(session.account.text, place, offlineUntil: end)
            }
        }
    }
}

extension CommandContext {
    /// The name of the account as the server writes it; another server than TaskVault's tells by its tokens only that it knows the account.
    fileprivate func name(
        of account: AccountName, _ place: SignInPlace
    ) throws(CommandFailure) -> String {
        try withAccessToken(of: account, place, asking: AccountPasswords(), isAskedFor: false) {
            token in
            try place.client.account(token).name
        } ?? account.text
    }

    fileprivate func print(
        _ name: String, _ place: SignInPlace, offlineUntil end: PointInTime?
    ) throws(CommandFailure) {
        guard isJSON else {
            let offline = end.map { ", without the server for \(timeLeft(until: $0))" } ?? ""
            return try printLine("\(name) at \(place.server)\(offline)")
        }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member("account", name)
            try json.member("offline_until", milliseconds: end?.milliseconds)
            try json.member("server", place.server)
            try json.member("state", end == nil ? "signed_in" : "offline")
            try json.endObject()
        }
    }
}
