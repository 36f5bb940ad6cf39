internal import CPostgreSQL

/// Which server and database, as an address `postgresql://user@host:port/database?parameter=value`, and how safe the way there is.
///
/// Other hosts than this machine are reached by TLS only, with a certificate that is trusted and names the host (`sslmode=verify-full`).
/// A password is never part of the address: libpq finds it in the password file (`~/.pgpass`). Of the environment only `PGUSER` and
/// `PGPASSFILE` count; all that says where to connect, and how, is in the address.
public struct PostgreSQLAddress: Sendable, Hashable {
    /// Why a text is not accepted as an address. No case carries the text, which may hold a password.
    public enum Failure: Error, Sendable, Hashable {
        /// The system has no libpq.
        case libraryMissing
        /// It does not begin with `postgresql://` or `postgres://`, or the rest cannot be parsed.
        case malformed
        /// It holds a password.
        case passwordInAddress
        /// It holds a parameter that may not be set here.
        case refusedParameter(String)
        /// It asks for a connection to another machine that is less safe than `sslmode=verify-full`.
        case weakSecurity

        /// The reason in a few words.
        public var reason: String {
            switch self {
            case .libraryMissing: "libpq is not installed"
            case .malformed: "the address is not like postgresql://user@host/database"
            case .passwordInAddress: "the address has a password, which belongs into .pgpass"
            case .refusedParameter(let name): "the address may not set \(name)"
            case .weakSecurity: "another machine takes sslmode=verify-full"
            }
        }
    }

    /// The address as it was given.
    public let text: String
    /// Whether every host is this machine: a Unix socket, a loopback address, or `localhost`.
    public let isLocal: Bool
    /// What libpq is given: each parameter that matters, also where it is empty, so that no environment variable sets it.
    let parameters: String

    /// Reads an address, and makes sure that it asks for nothing unsafe.
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

    /// Parameters that an empty value leaves as libpq has them.
    private static let taken = [
        "host", "port", "dbname", "requirepeer", "sslrootcert", "sslcert", "sslkey", "sslcrl",
    ]

    /// Parameters that an address may have.
    private static let allowed = Set(
        taken + ["user", "passfile", "sslmode", "target_session_attrs"])

    /// Parameters that are always so.
    private static let fixed: [(String, String)] = [
        ("hostaddr", ""), ("password", ""), ("options", ""), ("sslcrldir", ""),
        ("client_encoding", "UTF8"), ("application_name", "taskvault"),
        ("channel_binding", "prefer"), ("ssl_min_protocol_version", "TLSv1.2"),
        ("ssl_max_protocol_version", ""),
        // Encryption by GSSAPI would come before TLS and replace it.
        ("gssencmode", "disable"),
        ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
    ]

    /// As libpq reads a value: in quotes, with `\` before quotes and backslashes.
    private static func quoted(_ value: String) -> String {
        var quoted = "'"
        for scalar in value.unicodeScalars {
            if scalar == "'" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "'"
    }

    /// All parameters that libpq knows, and what the address says of them; nothing of the environment.
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
