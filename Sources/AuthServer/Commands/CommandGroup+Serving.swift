internal import CommandLine

extension CommandGroup {
    /// The server itself.
    static let serving = CommandGroup(title: "The server", commands: [serve])

    private static let serve = CommandDescription(
        path: ["serve"],
        summary: "run the server in the foreground",
        options: [.checkConfiguration]
            + SettingTable.all.filter { $0.name != "database" }.map(\.option),
        notes: [
            """
            Makes its database on the first start. SIGTERM and SIGINT end it: it stops listening, and requests under way get their answers for as \
            long as stop-timeout says. SIGHUP reads certificate and key again; if they cannot be used, that is logged and the old ones stay.
            """,
            """
            Each option but --check-config is a setting, which can stand in the environment or in the configuration file as well. Standard error gets \
            one line of JSON for each request.
            """,
            """
            On an address other than loopback it refuses to start without TLS, unless --allow-plain-http and \
            --plain-http-is-protected-elsewhere are both there.
            """,
        ],
        examples: [
            .init("taskvault-authd serve", "on 127.0.0.1:8420, with all defaults"),
            .init(
                "taskvault-authd serve --configuration /etc/taskvault-authd.conf --check-config",
                "see whether the file is right"),
            .init(
                "taskvault-authd serve --listen 0.0.0.0:8420 --issuer https://auth.example.org:8420 --tls-certificate chain.pem --tls-key key.pem",
                "for other machines"),
            .init(
                "taskvault-authd serve --database postgresql://authd@db.example/accounts",
                "as one of several servers"),
        ],
        exitCodes: [.notFound, .refused, .serverUnreachable])
}
