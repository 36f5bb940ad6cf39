internal import Accounts
internal import CommandLine
internal import Database
internal import Platform
internal import Sealing
internal import TextCoding

/// The input of a command: its invocation, the settings, and the process's surroundings.
struct ServerContext: CommandPrinting {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Input, output and environment variables.
    let surroundings: Surroundings
    /// The settings; all defaults for a command that does not read them.
    private(set) var settings = SettingSources()
    /// The output of warnings.
    let notices: Notices

    /// Creates the context of a command.
    init(_ invocation: Invocation, _ surroundings: Surroundings) {
        self.invocation = invocation
        self.surroundings = surroundings
        notices = Notices(
            program: CommandTable.server.program, descriptor: surroundings.errors,
            asJSON: invocation.has(.json))
    }

    /// Reads the settings.
    ///
    /// - Throws: `Failure` that names the location of the error.
    mutating func readSettings() throws {
        settings = try SettingSources(
            invocation, surroundings.environment,
            usualFile: ServerFolders(surroundings.environment).configuration)
    }

    /// The descriptor of results.
    var output: Int32 { surroundings.output }

    /// Whether results are JSON.
    var isJSON: Bool { invocation.has(.json) }

    /// The current time.
    var now: PointInTime { surroundings.now() }

    /// The location of the accounts.
    ///
    /// - Throws: `Failure` if no home folder is known.
    func database() throws -> AccountDatabasePlace {
        if let place = settings.value(ServerSettings.database) { return place }
        guard let path = ServerFolders(surroundings.environment).database else {
            throw Failure.usage(
                "no home folder is known", hint: "give --database FILE, or set HOME")
        }
        return .file(path)
    }

    /// The account named by the operand.
    ///
    /// - Throws: `Failure` if it is not an e-mail address.
    func email() throws -> EmailAddress { try Self.email(invocation.text(of: .email)) }

    private static func email(_ text: String) throws -> EmailAddress {
        guard let email = EmailAddress(text) else {
            throw Failure(
                .usage, code: "invalid_email",
                "EMAIL must be an e-mail address of at most \(EmailAddress.maximumSize) bytes")
        }
        return email
    }

    /// The account named by an optional operand; nil without it.
    ///
    /// - Throws: `Failure` if it is not an e-mail address.
    func optionalEmail() throws -> EmailAddress? {
        try invocation.texts(of: .optionalEmail).first.map(Self.email)
    }

    /// Opens the accounts for an operator's command.
    ///
    /// - Parameters:
    ///   - isNew: Whether to create the database if it does not exist.
    ///   - rules: The rules for accounts; those of the settings if nil.
    ///   - body: Receives the accounts.
    /// - Returns: The result of `body`.
    /// - Throws: `Failure`, `SealingError`, `DatabaseError`, or the error of `body`.
    func withAccounts<Result>(
        creating isNew: Bool = false, rules: AccountRules? = nil,
        _ body: (AccountAdministration) throws -> Result
    ) throws -> Result {
        try withRepository(creating: isNew) { repository in
            try body(
                AccountAdministration(
                    repository: repository, rules: rules ?? AccountRules(settings),
                    pseudonyms: PseudonymFile(self).read(), actor: actor, now: surroundings.now))
        }
    }

    /// Opens the database for an operator's command.
    func withRepository<Result>(
        creating isNew: Bool = false, _ body: (AccountRepository) throws -> Result
    ) throws -> Result {
        let place = try database()
        // A faulty libsodium would store hashes that other machines refuse.
        try CryptographicLibrary.check()
        let repository: AccountRepository
        do {
            repository = isNew ? try place.openOrCreate(connections: 2) : try place.open()
        } catch DatabaseError.notFound {
            throw Failure(
                .notFound, code: "no_database", "database \(place.title) does not exist",
                hint: "give the server's --configuration FILE; serve and account invite create it")
        }
        defer { repository.close() }
        return try body(repository)
    }

    /// The user who runs the command, or the calling user of `sudo`. It is a record and not a
    /// proof: root can set the variable.
    private var actor: String {
        "uid \(surroundings.environment["SUDO_UID"] ?? String(getuid()))"
    }

    /// Reports a change to an account.
    func report(_ action: String, _ email: EmailAddress, text: String? = nil) throws {
        if isJSON {
            return try printJSON { json in
                try json.beginObject()
                try json.member("email", email.text)
                try json.member("done", action)
                try json.endObject()
            }
        }
        try printLine("\(text ?? action) \(email.text)")
    }

    /// Prints lines.
    func printLines(_ lines: [String]) throws {
        try print { output in
            for line in lines { try output.writeLine(line) }
        }
    }
}

/// The default locations of the server's files.
struct ServerFolders {
    /// The configuration file, which need not exist; nil if no home folder is known.
    let configuration: String?
    /// The file of the accounts; nil if no home folder is known.
    let database: String?

    /// Finds the locations: system folders for root, folders below the home folder for other users.
    init(_ environment: EnvironmentVariables, isAdministrator: Bool = geteuid() == 0) {
        if isAdministrator {
            configuration = "/etc/taskvault-authd.conf"
            database = "/var/lib/taskvault-authd/accounts.db"
        } else {
            let folders = StandardFolders(environment)
            configuration = folders.configuration.map { $0 + "/taskvault-authd.conf" }
            database = folders.data.map { $0 + "/taskvault-authd/accounts.db" }
        }
    }
}

extension OptionDescription {
    /// The configuration file.
    static let configuration = OptionDescription(
        "configuration", .file("FILE"),
        "read settings from this file; TASKVAULT_AUTHD_CONFIGURATION does the same")
}

extension OperandDescription {
    /// An account.
    static let email = OperandDescription("EMAIL", "the account's e-mail address")

    /// An account, or all.
    static let optionalEmail = OperandDescription(
        "EMAIL", "the account's e-mail address", count: 0...1)
}

extension [ExitCode] {
    /// The exit codes of commands that use the database.
    static let ofDatabase: [ExitCode] = [.notFound, .damaged, .refused, .serverUnreachable]
}

extension Account {
    /// The state as text.
    var state: String { isDisabled ? "disabled" : "enabled" }
}

extension PointInTime {
    /// The form in results: `2026-03-01T09:05:00Z`.
    var text: String { Timestamp.rfc3339(milliseconds: milliseconds) }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the members of an account, without its hash.
    mutating func members(of account: Account) throws {
        try member("id", account.id.text)
        try member("email", account.email.text)
        try member("email_verified", account.isEmailVerified)
        try member("disabled", account.isDisabled)
        try member("created", milliseconds: account.created.milliseconds)
        try member("password_changed", milliseconds: account.passwordChanged.milliseconds)
    }
}
