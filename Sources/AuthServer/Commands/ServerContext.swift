internal import Accounts
internal import CommandLine
internal import TextCoding

/// All that a command works with: what was asked for, and the means to do it.
struct ServerContext: CommandPrinting {
    /// The command with its operands and options.
    let invocation: Invocation
    /// Input, output and environment variables.
    let surroundings: Surroundings
    /// The settings.
    let sources: SettingSources
    /// Where warnings go.
    let notices: Notices

    /// Makes the context of a command.
    ///
    /// - Throws: A failure where the settings are wrong.
    init(_ invocation: Invocation, _ surroundings: Surroundings) throws {
        self.invocation = invocation
        self.surroundings = surroundings
        let folders = ServerFolders(surroundings.environment)
        sources = try SettingSources(
            invocation, surroundings.environment, usualFile: folders.configuration)
        notices = Notices(
            program: CommandTable.server.program, descriptor: surroundings.errors,
            asJSON: invocation.has(.json))
    }

    /// The descriptor to which results go.
    var output: Int32 { surroundings.output }

    /// Whether results are for programs.
    var isJSON: Bool { invocation.has(.json) }

    /// The time.
    var now: PointInTime { surroundings.now() }

    /// Where the accounts are.
    func database() throws -> AccountDatabasePlace {
        if let place = sources.value(SettingTable.database) { return place }
        guard let path = ServerFolders(surroundings.environment).database else {
            throw CommandFailure.usage(
                "no home folder is known", hint: "give --database FILE, or set HOME")
        }
        return .file(path)
    }

    /// The account that the command is about.
    func email() throws -> EmailAddress {
        guard let email = EmailAddress(invocation.text(of: .email)) else {
            throw CommandFailure(
                .usage, code: "invalid_email",
                "EMAIL has to be an e-mail address of at most \(EmailAddress.maximumSize) bytes")
        }
        return email
    }
}
