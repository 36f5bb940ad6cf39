internal import CPostgreSQL

/// The address of a server and database, `postgresql://user@host:port/database?parameter=value`, with the required connection security.
///
/// Other machines are reached only by TLS, with a trusted certificate that names the host (`sslmode=verify-full`).
/// A password is never part of the address: libpq reads it from the password file (`~/.pgpass`). Of the environment, only `PGUSER` and
/// `PGPASSFILE` are used; the address contains all other connection parameters.
public struct PostgreSQLAddress: Sendable, Hashable {
    /// Why a text is not accepted as an address. No case carries the text, which may hold a password.
    public enum Failure: Error, Sendable, Hashable {
        /// libpq is not installed.
        case libraryMissing
        /// It does not begin with `postgresql://` or `postgres://`, or cannot be parsed.
        case malformed
        /// It holds a password.
        case passwordInAddress
        /// It holds a parameter that is not allowed here.
        case refusedParameter(String)
        /// It requests a connection to another machine with less security than `sslmode=verify-full`.
        case weakSecurity

        /// The reason in a few words.
        public var reason: String {
            switch self {
            case .libraryMissing: "libpq is not installed"
            case .malformed: "the address is not like postgresql://user@host/database"
            case .passwordInAddress:
                "a password in the address would be visible to other users; put it in ~/.pgpass"
            case .refusedParameter(let name): "the address may not set \(name)"
            case .weakSecurity: "another machine takes sslmode=verify-full"
            }
        }
    }

    /// The original text of the address.
    public let text: String
    /// Whether every host is this machine: a Unix socket, a loopback address, or `localhost`.
    public let isLocal: Bool
    /// The parameters for libpq: every relevant one, even if empty, so that environment variables do not apply.
    let parameters: String

    /// Parses an address, and refuses unsafe parameters.
    ///
    /// - Throws: ``Failure``.
    public init(_ text: String) throws {
        let values = try Self.values(of: text)
        for (keyword, value) in values where value != nil {
            if keyword == "password" {
                throw Failure.passwordInAddress
            }
            if !Self.allowed.contains(keyword) {
                throw Failure.refusedParameter(keyword)
            }
        }
        func value(_ keyword: String) -> String? { values[keyword] ?? nil }
        self.isLocal = Self.areLocal(value("host") ?? "")
        if !isLocal, let mode = value("sslmode"), mode != "verify-full" {
            throw Failure.weakSecurity
        }
        var parameters = Self.fixed
        for keyword in Self.taken { parameters.append((keyword, value(keyword) ?? "")) }
        for keyword in ["user", "passfile"] {
            if let value = value(keyword) { parameters.append((keyword, value)) }
        }
        parameters.append(("sslmode", isLocal ? value("sslmode") ?? "prefer" : "verify-full"))
        parameters.append(("target_session_attrs", value("target_session_attrs") ?? "any"))
        self.text = text
        self.parameters = parameters.map { "\($0.0)=\(Self.quoted($0.1))" }.joined(separator: " ")
    }

    /// Parameters for which an empty value selects libpq's default.
    private static let taken = [
        "host", "port", "dbname", "requirepeer", "sslrootcert", "sslcert", "sslkey", "sslcrl",
    ]

    /// Parameters allowed in an address.
    private static let allowed = Set(
        taken + ["user", "passfile", "sslmode", "target_session_attrs"])

    /// Parameters with fixed values.
    private static let fixed: [(String, String)] = [
        ("hostaddr", ""), ("password", ""), ("options", ""), ("sslcrldir", ""),
        ("client_encoding", "UTF8"), ("application_name", "taskvault"),
        ("channel_binding", "prefer"), ("ssl_min_protocol_version", "TLSv1.2"),
        ("ssl_max_protocol_version", ""),
        // Encryption by GSSAPI would take precedence over TLS.
        ("gssencmode", "disable"),
        ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
    ]

    /// Quotes a value for libpq, with `\` before quotes and backslashes.
    private static func quoted(_ value: String) -> String {
        var quoted = "'"
        for scalar in value.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }

    /// All parameters known to libpq, with their values from the address; the environment is ignored.
    ///
    /// The corresponding C function is `PQconninfoParse`.
    private static func values(of text: String) throws -> [String: String?] {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"),
            !text.utf8.contains(0)
        else { throw Failure.malformed }
        guard let library = PostgreSQLLibrary.shared else {
            throw Failure.libraryMissing
        }
        let functions = unsafe library.functions
        guard let parsed = unsafe functions.pointee.PQconninfoParse(text, nil) else {
            throw Failure.malformed
        }
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
