/// All settings of the server, in the order of the documents.
enum SettingTable {
    /// Where to listen.
    static let listen = Setting(
        "listen", .listenAddress, "the address and port to listen on", standard: "127.0.0.1:8420")
    /// The server's name.
    static let issuer = Setting(
        "issuer", .url, "the URL at which clients reach the server, without path",
        otherwise: "the address of listen")
    /// The proxies.
    static let trustedProxy = Setting(
        "trusted-proxy", .networks,
        "the proxies whose X-Forwarded-For says who asks: addresses or networks such as 127.0.0.1, 10.0.0.0/8, with commas between them",
        otherwise: "none")
    /// Where the accounts are.
    static let database = Setting(
        "database", .database,
        "the file of the accounts, or the address of a PostgreSQL database such as postgresql://host/name",
        otherwise:
            "/var/lib/taskvault-authd/accounts.db for root, else taskvault-authd/accounts.db in $XDG_DATA_HOME"
    )

    /// The certificate.
    static let certificate = Setting(
        "tls-certificate", .file,
        "the certificate of the server and those that vouch for it, PEM; SIGHUP reads it again")
    /// The key.
    static let key = Setting(
        "tls-key", .file, "the key of the certificate, PEM, which others may not read")
    /// The first word for plain HTTP.
    static let plainHTTP = Setting(
        "allow-plain-http", .flag,
        "listen without TLS on an address other than loopback; needs the next one too",
        standard: "no")
    /// The second word for plain HTTP.
    static let protectedElsewhere = Setting(
        "plain-http-is-protected-elsewhere", .flag,
        "something else encrypts the whole way to the clients", standard: "no")

    /// Who may make accounts.
    static let registration = Setting(
        "registration", .registration,
        "who may make an account; open lets everybody find out which accounts exist",
        standard: Registration.invitation.rawValue)
    /// How long invitations are valid.
    static let invitationLifetime = Setting(
        "invitation-lifetime", .time("1m", "365d"), "how long an invitation is valid",
        standard: "7d")
    /// The passes of Argon2id.
    static let passes = Setting(
        "password-passes", .number(2...64), "passes of Argon2id over its memory", standard: "3")
    /// The memory of Argon2id.
    static let memory = Setting(
        "password-memory", .number(19...4_096), "memory of Argon2id in MiB", standard: "64")
    /// How long access tokens live.
    static let accessLifetime = Setting(
        "access-token-lifetime", .time("1m", "24h"), "how long an access token lives",
        standard: "15m")
    /// How long refresh tokens live.
    static let refreshLifetime = Setting(
        "refresh-token-lifetime", .time("1m", "365d"),
        "how long a refresh token lives after its issue", standard: "30d")
    /// How long sessions live.
    static let sessionLifetime = Setting(
        "session-lifetime", .time("1m", "3650d"), "how long a session lives at most",
        standard: "180d")

    /// Every setting.
    static let all: [SettingDescription] =
        [
            listen.description, issuer.description, trustedProxy.description,
            database.description, certificate.description,
            key.description, plainHTTP.description, protectedElsewhere.description,
            registration.description, invitationLifetime.description, passes.description,
            memory.description, accessLifetime.description, refreshLifetime.description,
            sessionLifetime.description,
        ] + limits

    /// The setting of a name.
    static func setting(_ name: String) -> SettingDescription? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
