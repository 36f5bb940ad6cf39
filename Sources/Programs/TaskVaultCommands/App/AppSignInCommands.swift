internal import Application
internal import CommandLine
internal import SignIn
internal import TextCoding

/// `sign-in-method`: prints who gets a typed password, for the form: `accounts` is TaskVault's own server.
enum SignInMethodCommand: Command {
    static let description = CommandDescription(
        path: ["sign-in-method"], summary: "show how the server signs in", examples: [],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let method =
                if try place.client.describesAccounts() { "accounts" } else {
                    try place.client.takesPasswords() ? "password_grant" : "page"
                }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("method", method)
                try json.endObject()
            }
        }
    }
}

/// `web-sign-in`: begins a sign-in on the server's page, and prints its address.
enum BeginWebSignInCommand: Command {
    static let description = CommandDescription(
        path: ["web-sign-in"], summary: "begin a sign-in on the server's page", examples: [],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            // The page itself is in a browser of this machine.
            let signIn = try context.signIn.beginWebSignIn(nil, hasBrowser: true, place)
            PendingSignIn.shared.keep(signIn, place)
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("address", signIn.completeAddress ?? signIn.address)
                try json.member("code", signIn.code)
                try json.member("server", place.server)
                try json.endObject()
            }
        }
    }
}

/// `web-sign-in-wait`: waits some seconds for the person, and prints the account, or that it needs more time.
enum WaitForWebSignInCommand: Command {
    /// Shorter than the time limit of a request.
    private static let timeLimit = Duration.seconds(20)

    static let description = CommandDescription(
        path: ["web-sign-in-wait"], summary: "wait for a sign-in on the server's page",
        examples: [], exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            switch try PendingSignIn.shared.wait(atMost: timeLimit, place) {
            case .some(let tokens):
                let account = try context.signIn.finishWebSignIn(tokens, of: nil, place)
                try context.report(account, place, "signed in")
            case .none: try context.report("waiting", "waiting", place)
            }
        }
    }
}

/// `web-sign-in-end`: gives up the sign-in on the server's page.
enum EndWebSignInCommand: Command {
    static let description = CommandDescription(
        path: ["web-sign-in-end"], summary: "give up a sign-in on the server's page", examples: [],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            PendingSignIn.shared.keep(nil, place)
            try context.report("ended", "ended", place)
        }
    }
}
