internal import Accounts
internal import CommandLine

/// The configuration file: lines `name = value` and `client NAME = HASH`, empty ones, and comments that begin with `#`.
struct ConfigurationFile {
    /// The largest file that is read, in bytes.
    private static let maximumSize = 1_048_576
    /// What a line of a client begins with.
    private static let client = "client "

    /// The line of a client.
    static func line(_ client: String, _ hash: TokenHash) -> String {
        "\(Self.client)\(client) = \(ClientSecret.text(hash))"
    }

    /// A setting of the file.
    struct Entry: Hashable {
        /// The setting's name.
        let name: String
        /// What stands behind the equals sign.
        let value: String
        /// The line, counted from 1.
        let line: Int
    }

    /// The file.
    let path: String
    /// The settings, each once and known.
    private(set) var entries: [Entry] = []
    /// The confidential clients.
    private(set) var clients: [OAuthClient] = []

    /// Reads a file.
    ///
    /// - Throws: A failure of wrong usage that names file and line; it does not repeat what stands there.
    init(path: String) throws {
        self.path = path
        let (text, isReadableByOthers) = try Self.read(path)
        for (index, line) in SettingLine.lines(of: text).enumerated() {
            switch SettingLine(line) {
            case .empty: break
            case .malformed: throw failure(index + 1, "a line is 'name = value'")
            case .setting(let name, let value): try take(name, value, line: index + 1)
            }
        }
        if !clients.isEmpty, isReadableByOthers {
            throw CommandFailure(
                .refused, code: "readable_by_others",
                "everybody can read \(path), which has clients",
                hint: "chmod o= \(ShellText.quote(path))")
        }
    }

    private static func read(_ path: String) throws -> (String, Bool) {
        do {
            let file = try TrustedFile(path, limit: maximumSize, followingLinks: true)
            let text = try file.text().unicodeScalars
            // Some editors begin a file with a byte-order mark.
            let content = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
            return (String(content), file.isReadableByOthers)
        } catch let error as TrustedFile.Failure {
            throw CommandFailure(error, reading: "the configuration file", path)
        }
    }

    private mutating func take(
        _ name: String, _ value: String, line: Int
    ) throws {
        if name.hasPrefix(Self.client) {
            return try takeClient(String(name.dropFirst(Self.client.count)), value, line: line)
        }
        guard SettingTable.setting(name) != nil else {
            let known = SettingTable.all.map(\.name)
            throw failure(
                line, "there is no setting '\(name)'",
                hint: Suggestion.closest(to: name, among: known).map { "did you mean '\($0)'?" })
        }
        if let first = entries.first(where: { $0.name == name }) {
            throw failure(line, "\(name) is set in line \(first.line) already")
        }
        entries.append(Entry(name: name, value: value, line: line))
    }

    private mutating func takeClient(
        _ name: String, _ value: String, line: Int
    ) throws {
        guard OAuthClient.isName(name) else {
            throw failure(
                line, "the name of a client is 1 to 64 letters, digits, '.', '-' and '_'")
        }
        guard name != OAuthClient.taskvault.name, !clients.contains(where: { $0.name == name })
        else { throw failure(line, "there is a client \(name) already") }
        guard let hash = ClientSecret.hash(value) else {
            throw failure(
                line, "the hash of a client's secret is 64 hexadecimal digits",
                hint: "taskvault-authd client add \(name) makes a secret and its hash")
        }
        clients.append(OAuthClient(name: name, secret: hash))
    }

    private func failure(_ line: Int, _ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(
            .usage, code: "configuration", "\(path):\(line): \(message)",
            hint: hint ?? "taskvault-authd help serve lists the settings")
    }
}

extension CommandFailure {
    /// Explains why a file that says what the server does is not read.
    init(_ error: TrustedFile.Failure, reading subject: String, _ path: String) {
        switch error {
        case .missing:
            self.init(.notFound, code: "no_file", "\(subject) \(path) is not there")
        case .system(let failure):
            self.init(
                failure.call == "open" ? .usage : .failure, code: "cannot_read",
                "cannot read \(subject) \(path): \(failure.explanation)")
        case .refused(let reason):
            self.init(
                .refused, code: "unsafe_file", "cannot use \(subject) \(path): \(reason)")
        }
    }
}
