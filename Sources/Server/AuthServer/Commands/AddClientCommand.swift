internal import Accounts
internal import CommandLine
internal import TextCoding

/// `client add`: makes the line of a client, with a new secret.
enum AddClientCommand: ServerCommand {
    private static let clientName = OperandDescription(
        "NAME", "the client's name: letters, digits, '.', '-' and '_'")

    private static let isPublic = OptionDescription(
        "public", "a client without a secret, which signs people in")
    private static let resource = OptionDescription(
        "resource", .text("URL"), "the URL by which clients ask for tokens for this service")
    private static let scope = OptionDescription(
        "scope", .text("NAME"),
        "a scope of the tokens for this service, or of a public client; may be given several times",
        isRepeated: true)

    static let description = CommandDescription(
        path: ["client", "add"],
        summary: "register a client: a service that is shown tokens, or a program that gets them",
        operands: [clientName],
        options: [resource, scope, isPublic],
        notes: [
            """
            Prints the secret for the client once, and the line with its hash for the configuration file. The file is not changed. The server knows the \
            client after its next start.
            """,
            """
            A token for a service with a URL allows only the scopes of that service, and no change of the account; the service learns nothing about other \
            tokens. A service without a URL can introspect all access tokens, also those that allow everything.
            """,
        ],
        examples: [
            .init(
                "taskvault-authd client add billing --resource https://billing.example.org --scope invoices",
                "for the service billing"),
            .init(
                "taskvault-authd client add phone --public --scope invoices",
                "for a program that may get tokens for it"),
        ],
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
        let invocation = context.invocation
        let isPublic = invocation.has(isPublic)
        if isPublic, invocation.has(resource) {
            throw Failure.usage("--public and --resource exclude each other")
        }
        let scopes = invocation.texts(of: scope)
        if isPublic, scopes.isEmpty { throw Failure.usage("--public needs --scope NAME") }
        if !isPublic, !scopes.isEmpty, !invocation.has(resource) {
            throw Failure.usage("--scope needs --resource URL")
        }
        if !isPublic, !invocation.has(resource) {
            context.notices.warn(
                "client_without_resource",
                "each token that is shown to \(name) allows everything in its account; --resource URL limits it"
            )
        }
        let secret = isPublic ? nil : ClientSecret.make()
        let client = try RegisteredClient(
            name, secret.map { TokenHash(of: $0) }, invocation.text(of: resource),
            scopes.joined(separator: " ")
        ) { Failure.usage($0) }
        let line = ConfigurationFile.line(client)
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("name", name)
                try json.member("secret", secret)
                try json.member("line", line)
                try json.endObject()
            }
        }
        if let secret {
            try context.printLine("secret for the client, shown only once:")
            try context.printLine(secret)
        }
        try context.printLine("line for the configuration file:")
        try context.printLine(line)
    }
}
