internal import CommandLine
internal import HTTPServer
internal import Platform
internal import TextCoding

/// `serve`: runs the server until a signal stops it, or checks the configuration.
enum ServeCommand: ServerCommand {
    private static let checkConfiguration = OptionDescription(
        "check-config",
        "check settings, files, database and address, print the settings, and exit")

    static let description = CommandDescription(
        path: ["serve"],
        summary: "run the server in the foreground",
        options: [checkConfiguration]
            + ServerSettings.all.filter { $0.name != ServerSettings.database.name }.map {
                $0.option
            },
        notes: [
            """
            The first start creates the database. SIGTERM and SIGINT stop the server: it stops listening, and requests in progress are answered within \
            stop-timeout. SIGHUP reads certificate and key again; if they are unusable, the server logs that and keeps the old ones.
            """,
            """
            Each option except --check-config is a setting, which can also be set in the environment or in the configuration file. The server writes \
            one line of JSON for each request to standard error.
            """,
            """
            On an address other than loopback the server refuses to start without TLS, unless both --allow-plain-http and \
            --plain-http-is-protected-elsewhere are given.
            """,
        ],
        examples: [
            .init("taskvault-authd serve", "on 127.0.0.1:8420, with all defaults"),
            .init(
                "taskvault-authd serve --configuration /etc/taskvault-authd.conf --check-config",
                "check the configuration file"),
            .init(
                "taskvault-authd serve --listen 0.0.0.0:8420 --issuer https://auth.example.org:8420 --tls-certificate chain.pem --tls-key key.pem",
                "for other machines"),
            .init(
                "taskvault-authd serve --database postgresql://authd@db.example/accounts",
                "as one of several servers"),
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        if context.invocation.has(checkConfiguration) { return try check(context) }
        // Signals are blocked before the first thread starts, because threads inherit the signal
        // mask.
        let signals = BlockedSignals()
        let server = try RunningServer(context)
        server.run(until: signals)
    }

    /// Checks all requirements of `serve` without creating files, and prints the settings.
    private static func check(_ context: ServerContext) throws {
        let configuration = try ServerConfiguration(context.settings)
        if let tls = configuration.tls {
            let identity = try tls.check()
            if let fault = configuration.fault(of: identity, at: context.now) {
                throw Failure(
                    .refused, code: fault.code,
                    fault.message(tls.certificate, configuration.issuerHost))
            }
        }
        try context.database().check()
        try PseudonymFile(context).check(context)
        try HTTPServer.checkAddress(configuration.limits)
        for warning in configuration.warnings {
            context.notices.warn(warning.code, warning.message)
        }
        try report(context, configuration)
    }

    /// Prints all settings, each with its value and source, the changed ones first.
    private static func report(
        _ context: ServerContext, _ configuration: ServerConfiguration
    ) throws {
        let lines = try ServerSettings.all.map { setting -> (String, String?, String) in
            let given = context.settings.given(setting)
            return (
                setting.name, try given?.text ?? standard(setting, context, configuration),
                (given?.origin ?? .standard).text(of: setting)
            )
        }
        let clients = configuration.clients.map(\.name)
        if context.isJSON {
            return try context.printJSON { json in
                try json.beginObject()
                try json.member("configuration_file", context.settings.file)
                try json.key("settings")
                try json.beginObject()
                for (name, value, origin) in lines {
                    try json.key(name)
                    try json.beginObject()
                    try json.member("value", value)
                    try json.member("origin", origin)
                    try json.endObject()
                }
                try json.endObject()
                try json.key("clients")
                try json.beginArray()
                for client in clients { try json.string(client) }
                try json.endArray()
                try json.endObject()
            }
        }
        var table = TextTable(["SETTING", "VALUE", "FROM"].map { TextTable.Column($0) })
        let usual = SettingOrigin.standard.text(of: ServerSettings.listen)
        func add(_ isChanged: Bool) {
            for (name, value, origin) in lines where (origin != usual) == isChanged {
                table.add([name, value ?? "", origin])
            }
        }
        add(true)
        for client in clients { table.add(["client", client, context.settings.file ?? ""]) }
        add(false)
        try context.printLines(table.lines(limit: nil))
    }

    /// A default that depends on the machine or on other settings; nil for none.
    private static func standard(
        _ setting: any AnySetting, _ context: ServerContext, _ configuration: ServerConfiguration
    ) throws -> String? {
        switch setting.name {
        case ServerSettings.issuer.name: configuration.issuerText
        case ServerSettings.database.name: try context.database().title
        case ServerSettings.pseudonymKey.name: try PseudonymFile(context).path
        case ServerSettings.workers.name:
            configuration.limits.lanes[.derivation].map { String($0.workers) }
        default: nil
        }
    }
}
