internal import Accounts
internal import CommandLine

/// `account disable`: lets nobody sign in.
enum DisableAccountCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.setDisabled(email, true)
        }
        try context.report("disabled", email)
    }
}

/// `account enable`: lets people sign in again.
enum EnableAccountCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.setDisabled(email, false)
        }
        try context.report("enabled", email)
    }
}

/// `account reset-password`: sets a password.
enum ResetPasswordCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let now = context.now
        // Nobody types a password for an account that is not there.
        try context.withAccounts { (accounts) throws(AccountServiceError) in
            _ = try accounts.details(of: email, at: now)
        }
        let password = try NewAccountPassword.read(context)
        try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.resetPassword(of: email, to: password, at: now)
        }
        try context.report("password_reset", email, words: "set the password of")
    }
}

/// `account end-sessions`: signs an account out everywhere.
enum EndSessionsCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let count = try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.endSessions(of: email)
        }
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("ended_sessions", count)
                try json.endObject()
            }
        }
        try context.printLine("ended \(counted(count, "session")) of \(email.text)")
    }
}

/// `account remove`: removes an account, or an invitation.
enum RemoveAccountCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let surroundings = context.surroundings
        try Consent.require(
            to: "remove \(email.text)", unless: .yes, in: context.invocation,
            from: surroundings.standardInput
        ) {
            try surroundings.openTerminal().confirm(
                "Remove \(email.text), with all that belongs to it? It does not come back")
        }
        try context.withAccounts { (accounts) throws(AccountServiceError) in
            try accounts.remove(email)
        }
        try context.report("removed", email)
    }
}

extension ServerContext {
    /// Says what was done to an account.
    fileprivate func report(
        _ action: String, _ email: EmailAddress, words: String? = nil
    ) throws {
        if isJSON {
            return try printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("done", action)
                try json.endObject()
            }
        }
        try printLine("\(words ?? action) \(email.text)")
    }
}
