internal import Accounts
internal import CommandLine
internal import TextCoding

/// `client add`: creates the secret of a confidential client.
enum AddClientCommand: ServerCommand {
    private static let clientName = OperandDescription(
        "NAME", "the client's name: letters, digits, '.', '-' and '_'")

    static let description = CommandDescription(
        path: ["client", "add"],
        summary: "create the secret of a confidential client",
        operands: [clientName],
        notes: [
            """
            Prints the secret for the client once, and the line with its hash for the configuration file. The file is not changed. The server knows the \
            client after its next start.
            """
        ],
        examples: [.init("taskvault-authd client add billing", "for the service billing")],
        exitCodes: [.notFound, .alreadyExists, .refused])

    static func run(_ context: ServerContext) throws {
        let name = context.invocation.text(of: clientName)
        guard RegisteredClient.isName(name) else {
            throw Failure.usage("NAME must be 1 to 64 letters, digits, '.', '-' and '_'")
        }
        let existing = [RegisteredClient.taskvault] + context.settings.clients
        guard !existing.contains(where: { $0.name == name }) else {
            throw Failure(
                .alreadyExists, code: "client_exists", "client \(name) already exists",
                hint: context.settings.file.map { "its line is in \($0)" })
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
        try context.printLine("secret for the client, shown only once:")
        try context.printLine(secret)
        try context.printLine("line for the configuration file:")
        try context.printLine(line)
    }
}
