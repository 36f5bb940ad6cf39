internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import TextCoding

/// A message from git to a credential helper: lines `key=value` up to an empty one (git-credential(1), "INPUT/OUTPUT FORMAT").
///
/// Passwords and tokens stay in guarded memory.
struct GitMessage {
    /// The maximum size of a message, in bytes.
    static let limit = 1_048_576
    /// The prefix of this helper's values of `state[]`.
    static let statePrefix = "taskvault.revision="

    private(set) var scheme: String?
    private(set) var host: String?
    private(set) var path: String?
    private(set) var user: String?
    private(set) var authenticationType: String?
    private(set) var expiry: String?
    private(set) var isEphemeral = false
    private(set) var capabilities: Set<String> = []
    /// The values of the server's `WWW-Authenticate` headers.
    private(set) var challenges: [String] = []
    /// The revision of the secret from this helper, if git returns it.
    private(set) var revision: UInt64?
    private(set) var password: HeldSecret?
    private(set) var credential: HeldSecret?
    private(set) var refreshToken: HeldSecret?

    /// Reads a message.
    ///
    /// - Throws: A failure for a CR or NUL byte, a line without `=`, or text that is not UTF-8.
    init(_ input: borrowing SecretBytes) throws {
        try input.withBytes { (bytes) throws in
            var start = 0
            while start < bytes.byteCount {
                var end = start
                while end < bytes.byteCount, bytes[end] != Byte.lineFeed {
                    guard bytes[end] != 0, bytes[end] != Byte.carriageReturn else {
                        throw Failure.brokenLine
                    }
                    end += 1
                }
                if end == start { break }
                try take(bytes.extracting(start..<end))
                start = end + 1
            }
        }
    }

    private mutating func take(_ line: RawSpan) throws {
        guard
            let separator = (0..<line.byteCount).first(where: {
                line[$0] == UInt8(ascii: "=")
            }), let key = line.extracting(0..<separator).text()
        else { throw Failure.usage("a line of the input is not KEY=VALUE") }
        let value = line.extracting((separator + 1)..<line.byteCount)
        switch key {
        case "password": password = try Self.held(value)
        case "credential": credential = try Self.held(value)
        case "oauth_refresh_token": refreshToken = try Self.held(value)
        default: break
        }
        guard Self.textKeys.contains(key) else { return }
        guard let text = value.text() else {
            throw Failure(.usage, code: "not_text", "the \(key) is not valid UTF-8")
        }
        take(key, text)
    }

    private static let textKeys = [
        "protocol", "host", "path", "username", "authtype", "password_expiry_utc", "ephemeral",
        "capability[]", "wwwauth[]", "state[]",
    ]

    private mutating func take(_ key: String, _ text: String) {
        switch key {
        case "protocol": scheme = text
        case "host": host = text
        case "path": path = text.isEmpty ? nil : text
        case "username": user = text
        case "authtype": authenticationType = text
        case "password_expiry_utc": expiry = text
        case "ephemeral": isEphemeral = !["", "0", "false", "no", "off"].contains(text)
        case "capability[]":
            if text.isEmpty { capabilities = [] } else { capabilities.insert(text) }
        case "wwwauth[]":
            if text.isEmpty { challenges = [] } else { challenges.append(text) }
        case "state[]":
            if text.hasPrefix(Self.statePrefix) {
                revision = UInt64(text.dropFirst(Self.statePrefix.count))
            }
        default: break
        }
    }

    private static func held(_ value: RawSpan) throws -> HeldSecret {
        HeldSecret(try SecretBytes(copying: value))
    }

    /// The service for protocol, host and port; nil if the message names none.
    var service: String? {
        guard let scheme, !scheme.isEmpty, host != nil || path != nil else { return nil }
        return "git:" + CredentialName.escaped(scheme) + "://"
            + CredentialName.escaped(host ?? "", keeping: ":[]")
    }

    /// The service for protocol, host, port and path.
    var serviceWithPath: String? {
        guard let service else { return nil }
        return service + (path.map { "/" + CredentialName.escaped($0, keeping: "/") } ?? "")
    }

    /// Whether the server accepts a credential of this type, according to git.
    func accepts(_ authenticationType: String) -> Bool {
        guard capabilities.contains("authtype") else { return false }
        return challenges.isEmpty
            || challenges.contains { challenge in
                let scheme = challenge.utf8.prefix { $0 != UInt8(ascii: " ") }
                return String(Substring(scheme)).lowercased() == authenticationType.lowercased()
            }
    }
}
