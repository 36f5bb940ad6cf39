internal import Accounts
internal import CommandLine
internal import TextCoding

/// The configuration file: lines `name = value`, `client NAME = HASH [URL [SCOPE…]]` and `client NAME = public SCOPE…`, empty lines, and comments
/// that begin with `#`.
struct ConfigurationFile {
    /// The largest accepted file, in bytes.
    private static let maximumSize = 1_048_576
    /// The beginning of a client's line.
    private static let client = "client "

    /// The word in place of a hash for a client without a secret.
    private static let publicWord = "public"

    /// The line of a client.
    static func line(_ client: RegisteredClient) -> String {
        let words =
            [client.secret.map(ClientSecret.text) ?? publicWord]
            + (client.secret == nil ? [] : [client.grant.resource].compactMap { $0 })
            + client.grant.scope.names
        return "\(Self.client)\(client.name) = \(words.joined(separator: " "))"
    }

    /// A setting of the file.
    struct Entry: Hashable {
        /// The setting's name.
        let name: String
        /// The text after the equals sign.
        let value: String
        /// The line, counted from 1.
        let line: Int
    }

    /// The file.
    let path: String
    /// The settings, all known and unique.
    private(set) var entries: [Entry] = []
    /// The registered clients.
    private(set) var clients: [RegisteredClient] = []

    /// Parses a file.
    ///
    /// - Throws: `Failure` that names file and line. It omits the content of the line, which may be
    ///   a secret.
    init(path: String) throws {
        self.path = path
        let (text, isReadableByOthers) = try Self.read(path)
        for (index, line) in SettingLine.lines(of: text).enumerated() {
            switch SettingLine(line) {
            case .empty: break
            case .malformed: throw failure(index + 1, "expected 'name = value'")
            case .setting(let name, let value): try take(name, value, line: index + 1)
            }
        }
        if clients.contains(where: { $0.secret != nil }), isReadableByOthers {
            throw Failure(
                .refused, code: "readable_by_others",
                "all users can read \(path), which has client secrets' hashes",
                hint: "chmod o= \(ShellText.quote(path))")
        }
    }

    private static func read(_ path: String) throws -> (String, Bool) {
        do {
            let file = try TrustedFile(path, limit: maximumSize, followingLinks: true)
            let text = try file.text().unicodeScalars
            // Some editors write a byte-order mark at the beginning.
            let content = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
            return (String(content), file.isReadableByOthers)
        } catch {
            throw Failure(error, reading: "the configuration file", path)
        }
    }

    private mutating func take(
        _ name: String, _ value: String, line: Int
    ) throws {
        if name.hasPrefix(Self.client) {
            return try takeClient(String(name.dropFirst(Self.client.count)), value, line: line)
        }
        guard ServerSettings.setting(name) != nil else {
            let known = ServerSettings.all.map(\.name)
            throw failure(
                line, "unknown setting '\(name)'",
                hint: Suggestion.closest(to: name, among: known).map { "did you mean '\($0)'?" })
        }
        if let first = entries.first(where: { $0.name == name }) {
            throw failure(line, "\(name) is already set in line \(first.line)")
        }
        entries.append(Entry(name: name, value: value, line: line))
    }

    private mutating func takeClient(
        _ name: String, _ value: String, line: Int
    ) throws {
        guard RegisteredClient.isName(name) else {
            throw failure(
                line, "the name of a client is 1 to 64 letters, digits, '.', '-' and '_'")
        }
        guard name != RegisteredClient.taskvault.name, !clients.contains(where: { $0.name == name })
        else { throw failure(line, "client \(name) already exists") }
        let words = value.split(separator: " ").map { String($0) }
        let isPublic = words.first == Self.publicWord
        let hash = words.first.flatMap { ClientSecret.hash($0) }
        guard isPublic || hash != nil else {
            throw failure(
                line,
                "the hash of a client's secret is 64 hexadecimal digits; a client without one has the word public",
                hint: "taskvault-authd client add \(name) creates a secret and its hash")
        }
        let resource = isPublic || words.count < 2 ? nil : words[1]
        let names = words.dropFirst(isPublic ? 1 : 2).joined(separator: " ")
        let client = try RegisteredClient(name, hash, resource, names) { reason in
            failure(line, reason)
        }
        if let resource, clients.contains(where: { $0.grant.resource == resource }) {
            throw failure(line, "another client already has the URL \(resource)")
        }
        clients.append(client)
    }

    private func failure(_ line: Int, _ message: String, hint: String? = nil) -> Failure {
        Failure(
            .usage, code: "configuration", "\(path):\(line): \(message)",
            hint: hint ?? "taskvault-authd help serve lists the settings")
    }
}
