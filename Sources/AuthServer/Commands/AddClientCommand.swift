internal import Accounts
internal import CommandLine

/// `client add`: makes the secret of a confidential client.
enum AddClientCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        let name = context.invocation.text(of: .clientName)
        guard OAuthClient.isName(name) else {
            throw CommandFailure.usage("NAME is 1 to 64 letters, digits, '.', '-' and '_'")
        }
        let taken = [OAuthClient.taskvault] + context.sources.clients
        guard !taken.contains(where: { $0.name == name }) else {
            throw CommandFailure(
                .alreadyExists, code: "client_exists", "there is a client \(name) already",
                hint: context.sources.file.map { "its line is in \($0)" })
        }
        let secret = ClientSecret.make()
        let line = ConfigurationFile.line(name, TokenHash(of: secret))
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("name", name)
                try json.member("secret", secret)
                try json.member("line", line)
                try json.endObject()
            }
        }
        try context.printLine("secret, for the client; it is shown this once:")
        try context.printLine(secret)
        try context.printLine("line for the configuration file:")
        try context.printLine(line)
    }
}
