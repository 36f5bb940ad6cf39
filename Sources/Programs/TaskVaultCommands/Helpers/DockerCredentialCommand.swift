internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding

/// `docker-credential`: Docker's credential store, also under the name `docker-credential-taskvault`.
///
/// Docker reads an error from standard output (github.com/docker/docker-credential-helpers, `credentials/error.go`).
enum DockerCredentialCommand: Command {
    private static let action = OperandDescription(
        "ACTION", "store, get, erase, list or version")

    static let description = CommandDescription(
        path: ["docker-credential"],
        summary: "keep the passwords of docker, which calls this",
        operands: [action],
        notes: [
            """
            The server's address is matched byte by byte. It and what belongs to it are read from standard input, as docker writes them.
            """
        ],
        examples: [
            .init("echo ghcr.io | taskvault docker-credential get", "the password for a server"),
            .init("taskvault docker-credential list", "the servers and user names"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent, .answersProgram])

    static func run(_ context: CommandContext) throws {
        do {
            try run(context.invocation.text(of: action), context)
        } catch let error as DockerError {
            try context.console.printLine(error.text)
            throw Failure.explained(.failure)
        } catch {
            let failure = context.errors.failure(error)
            if !failure.isQuiet { try context.console.printLine(failure.message) }
            throw failure
        }
    }

    private static func run(_ action: String, _ context: CommandContext) throws {
        switch action {
        case "version":
            try context.console.printLine(
                "\(HelperName.docker.rawValue) (taskvault) v\(ProductVersion.number)")
        case "get", "erase", "list", "store":
            guard try context.folders.isOn(.servicesDocker) else {
                return try refuse(action, context)
            }
            try answer(action, context)
        default:
            throw Failure.usage(
                "\(HelperName.docker.rawValue): unknown action: \(action)",
                hint: context.errors.command("docker-credential list"))
        }
    }

    /// Responds like an empty store.
    private static func refuse(_ action: String, _ context: CommandContext) throws {
        switch action {
        case "get": throw DockerError.notFound
        case "list": try context.console.printLine("{}")
        case "store":
            throw Failure(
                .refused, code: "denied", "the setting services-docker is off",
                hint: context.errors.command("settings set services-docker on"))
        default: break
        }
    }

    private static func answer(_ action: String, _ context: CommandContext) throws {
        let console = context.console
        switch action {
        case "list":
            try context.vault.withStore(.reading) { store in
                let found = try DockerCredentials(store: store.secrets).all()
                try console.printJSON { json in
                    try json.beginObject()
                    for (server, user) in found { try json.member(server, user) }
                    try json.endObject()
                }
            }
        case "get":
            let server = try server(console)
            try context.vault.withStore(.reading) { store in
                let credentials = DockerCredentials(store: store.secrets)
                let (item, secret) = try store.secrets.retryingConflicts {
                    guard let item = try credentials.item(of: server) else {
                        throw DockerError.notFound
                    }
                    return (item, HeldSecret(try store.secrets.value(of: item.name)))
                }
                guard secret.value.withBytes({ $0.isUTF8 }) else {
                    throw Failure(.usage, code: "not_text", "the secret is not valid UTF-8")
                }
                try console.printJSON { json in
                    try json.beginObject()
                    try json.member("ServerURL", server)
                    try json.member("Username", CredentialName.user(item.name.account) ?? "")
                    try json.key("Secret")
                    try json.string(secret: secret.value)
                    try json.endObject()
                }
            }
        case "erase":
            let server = try server(console)
            try context.vault.withStore(.changing) { store in
                try store.secrets.retryingConflicts {
                    try DockerCredentials(store: store.secrets).erase(server)
                }
            }
        default:
            let input = try console.readHelperInput(limit: DockerLogin.limit)
            let login = try DockerLogin(input)
            try context.vault.withStore(.changing) { store in
                try store.secrets.retryingConflicts {
                    try DockerCredentials(store: store.secrets).keep(login)
                }
            }
        }
    }

    /// The address from Docker, without surrounding white space.
    private static func server(_ console: Console) throws -> String {
        let input = try console.readHelperInput(limit: SecretName.maximumSize)
        guard let text = input.withBytes({ $0.text() }) else { throw DockerError.noServer }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { throw DockerError.noServer }
        return String(scalars[first...last])
    }
}

/// The errors that Docker recognises by their text.
enum DockerError: Error {
    case notFound, noServer, noUser

    /// The exact text that Docker compares.
    var text: String {
        switch self {
        case .notFound: "credentials not found in native keychain"
        case .noServer: "no credentials server URL"
        case .noUser: "no credentials username"
        }
    }
}

/// The input of `docker login`: a JSON object with ServerURL, Username and Secret.
struct DockerLogin: ~Copyable {
    /// The largest input, in bytes.
    static let limit = 4 * SecretLimits.maximumValueSize

    let server: String
    let user: String
    let secret: SecretBytes

    /// Parses the object; other members are ignored.
    init(_ input: borrowing SecretBytes) throws {
        let names = ["ServerURL", "Username", "Secret"]
        let (object, server, user) = try input.withBytes { (bytes) throws in
            guard let object = JSONObject(bytes),
                names.allSatisfy({ [nil, .string].contains(object.kind(of: $0)) })
            else { throw Failure.usage("the input is not the JSON object of docker") }
            return (
                object, object.text("ServerURL", in: bytes) ?? "",
                object.text("Username", in: bytes) ?? ""
            )
        }
        if server.isEmpty { throw DockerError.noServer }
        if user.isEmpty { throw DockerError.noUser }
        let secret = try Self.secret(of: object, input)
        self.server = server
        self.user = user
        self.secret = secret
    }

    private static func secret(
        of object: JSONObject, _ input: borrowing SecretBytes
    ) throws -> SecretBytes {
        let secret = try input.withBytes { (bytes) throws in
            try object.secret("Secret", in: bytes)
        }
        guard let secret else { return try SecretBytes(count: 0) }
        return secret
    }
}

/// Docker's credentials in a store. The service of an entry is `docker:` and the server's address; the account is the user name.
struct DockerCredentials {
    private static let prefix = "docker:"

    let store: any SecureStore

    private func service(_ server: String) throws -> String {
        guard server.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Failure.brokenLine
        }
        return Self.prefix + server
    }

    private func entries(of server: String) throws -> [SecretItem] {
        let service = try service(server)
        return try store.find(.exact(service)).filter {
            $0.name.service.hasSameBytes(as: service) && $0.name.isStandardField
        }
    }

    /// The secret of a server, or nil.
    func item(of server: String) throws -> SecretItem? {
        try entries(of: server).max { $0.modified < $1.modified }
    }

    /// All servers with their user names, sorted by server.
    func all() throws -> [(server: String, user: String)] {
        var found: [(server: String, item: SecretItem)] = []
        // The items are sorted by name, so those of a server are adjacent.
        for item in try store.find(.part(Self.prefix)) {
            let service = item.name.service
            guard service.utf8.starts(with: Self.prefix.utf8), item.name.isStandardField else {
                continue
            }
            if let last = found.last, last.item.name.service.hasSameBytes(as: service) {
                if last.item.modified > item.modified { continue }
                found.removeLast()
            }
            let server = String(Substring(service.utf8.dropFirst(Self.prefix.utf8.count)))
            found.append((server, item))
        }
        return found.map { ($0.server, CredentialName.user($0.item.name.account) ?? "") }
    }

    /// Saves a login, and removes others of the server. A server has one user at a time.
    func keep(_ login: borrowing DockerLogin) throws {
        let account = CredentialName.account(login.user)
        let name = try SecretName(service: service(login.server), account: account)
        try store.put(login.secret, as: name, SecretAttributes(label: login.server))
        let others = try entries(of: login.server).filter {
            !$0.name.account.hasSameBytes(as: account)
        }
        try remove(others)
    }

    /// Removes the credentials of a server, if any.
    func erase(_ server: String) throws {
        try remove(entries(of: server))
    }

    private func remove(_ items: [SecretItem]) throws {
        if items.isEmpty { return }
        try store.change(
            items.map {
                SecretChange($0.name, expecting: $0.revision, .remove(permanently: false))
            })
    }
}
