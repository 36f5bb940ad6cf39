internal import CPostgreSQL
internal import Platform

/// The address of a database on a server, `postgresql://user@host:port/database?parameter=value`, with the required connection security.
///
/// TCP, even to this machine, requires TLS with a trusted certificate that names the host (`sslmode=verify-full`), and SCRAM bound to that
/// connection (`channel_binding=require`). A Unix socket needs no TLS, but its server must run as the expected user (`requirepeer`). So
/// another program in the server's place gets no password.
///
/// A password is never part of the address: libpq reads it from the password file (`~/.pgpass`). Of the environment, only `PGUSER` and
/// `PGPASSFILE` apply; the address determines all other connection parameters.
public struct PostgreSQLAddress: Sendable, Hashable {
    /// Why an address is rejected. No case contains the text of the address, which may contain a password.
    public enum Fault: Sendable, Hashable {
        /// libpq is not installed.
        case libraryMissing
        /// It does not begin with `postgresql://` or `postgres://`, or cannot be parsed.
        case malformed
        /// It contains a password.
        case passwordInAddress
        /// It contains a parameter that is not allowed.
        case refusedParameter(String)
        /// It requests a TCP connection with less security than `sslmode=verify-full`.
        case weakSecurity

        /// A short description.
        public var reason: String {
            switch self {
            case .libraryMissing: "libpq is not installed"
            case .malformed: "the address must have the form postgresql://user@host/database"
            case .passwordInAddress:
                "a password in the address would be visible to other users; put it in ~/.pgpass"
            case .refusedParameter(let name): "the address may not set \(name)"
            case .weakSecurity: "a server that is not on a Unix socket requires sslmode=verify-full"
            }
        }
    }

    /// The original text of the address.
    public let text: String
    /// Whether every host is the folder of a Unix socket.
    public let isLocal: Bool
    /// The parameters for libpq: every relevant one, even if empty, so that environment variables do not apply.
    let parameters: String

    /// Why an address is rejected; nil if it is accepted.
    public static func fault(in text: String) -> Fault? {
        if PostgreSQLLibrary.shared == nil, hasScheme(text) { return .libraryMissing }
        guard let values = values(of: text) else { return .malformed }
        for (keyword, value) in values where value != nil {
            if keyword == "password" { return .passwordInAddress }
            if !allowed.contains(keyword) { return .refusedParameter(keyword) }
        }
        let mode = values["sslmode"] ?? nil
        let isSecure =
            areLocal((values["host"] ?? nil) ?? "") || mode == nil || mode == "verify-full"
        return isSecure ? nil : .weakSecurity
    }

    /// Parses an address.
    ///
    /// - Throws: ``DatabaseError/unreachable(reason:)`` with the reason of a ``Fault``.
    public init(_ text: String) throws {
        if let fault = Self.fault(in: text) {
            throw DatabaseError.unreachable(reason: fault.reason)
        }
        let values = Self.values(of: text) ?? [:]
        func value(_ keyword: String) -> String? { values[keyword] ?? nil }
        self.isLocal = Self.areLocal(value("host") ?? "")
        var parameters = Self.fixed + Self.authentication(isLocal: isLocal, values.keys)
        for keyword in Self.defaults { parameters.append((keyword, value(keyword) ?? "")) }
        for keyword in ["user", "passfile"] {
            if let value = value(keyword) { parameters.append((keyword, value)) }
        }
        // Debian's server runs as this user. An empty value would accept every user.
        let peer = value("requirepeer") ?? ""
        parameters.append(("requirepeer", peer.isEmpty ? "postgres" : peer))
        parameters.append(("target_session_attrs", value("target_session_attrs") ?? "any"))
        self.text = text
        self.parameters = parameters.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
    }

    /// Parameters for which an empty value selects libpq's default.
    private static let defaults = [
        "host", "port", "dbname", "sslrootcert", "sslcert", "sslkey", "sslcrl",
    ]

    /// Parameters allowed in an address.
    private static let allowed = Set(
        defaults + ["user", "passfile", "requirepeer", "sslmode", "target_session_attrs"])

    /// Parameters with fixed values.
    private static let fixed: [(String, String)] = [
        ("hostaddr", ""), ("password", ""), ("options", ""), ("sslcrldir", ""),
        ("client_encoding", "UTF8"), ("application_name", "taskvault"),
        // libpq ignores it on a Unix socket.
        ("sslmode", "verify-full"), ("ssl_min_protocol_version", "TLSv1.2"),
        ("ssl_max_protocol_version", ""),
        // GSSAPI encryption would take precedence over TLS.
        ("gssencmode", "disable"),
        ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
    ]

    /// Parameters for mutual authentication by password. `known` are libpq's parameters; version 15 lacks `require_auth`.
    static func authentication(
        isLocal: Bool, _ known: some Collection<String>
    ) -> [(String, String)] {
        [("channel_binding", isLocal ? "prefer" : "require")]
            + (known.contains("require_auth")
                ? [("require_auth", isLocal ? "" : "scram-sha-256")] : [])
    }

    /// Quotes a value for libpq: a backslash before quotes and backslashes.
    private static func quoted(_ value: String) -> String {
        var quoted = "'"
        for scalar in value.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }

    private static func hasScheme(_ text: String) -> Bool {
        (text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"))
            && !text.utf8.contains(0)
    }

    /// All parameters known to libpq, with their values from the address; nil for a malformed address. Ignores the environment.
    ///
    /// The corresponding C function is `PQconninfoParse`.
    private static func values(of text: String) -> [String: String?]? {
        guard hasScheme(text), let library = PostgreSQLLibrary.shared else { return nil }
        let functions = unsafe library.functions
        guard let parsed = unsafe functions.pointee.PQconninfoParse(text, nil) else { return nil }
        defer { unsafe functions.pointee.PQconninfoFree(parsed) }
        var values: [String: String?] = [:]
        var option = unsafe cpostgresql_options(parsed)
        while let keyword = unsafe option.pointee.keyword {
            let value = unsafe option.pointee.value.map { unsafe String(cString: $0) }
            unsafe values[String(cString: keyword)] = .some(value)
            unsafe option += 1
        }
        return values
    }
}

extension PostgreSQLAddress {
    /// Whether all hosts, separated by commas, are folders of a Unix socket.
    ///
    /// An empty host is libpq's default folder; `@` begins an abstract socket.
    fileprivate static func areLocal(_ hosts: String) -> Bool {
        hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
            $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@")
        }
    }
}
