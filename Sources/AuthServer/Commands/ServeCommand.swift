internal import CommandLine
internal import HTTPServer

/// `serve`: runs the server until a signal ends it, or checks the settings.
enum ServeCommand: ServerCommand {
    static func run(_ context: ServerContext) throws {
        if context.invocation.has(.checkConfiguration) { return try check(context) }
        // Before the first thread, which inherits it.
        let signals = HeldSignals()
        let server = try RunningServer(context)
        try server.run(until: signals)
    }

    /// Checks everything that can be checked beside a server that runs, and prints what holds.
    private static func check(_ context: ServerContext) throws {
        let configuration = try ServerConfiguration(context.sources)
        _ = try context.database()
        if let tls = configuration.tls { try tls.check() }
        for warning in configuration.warnings {
            context.notices.warn(warning.code, warning.message)
        }
        try SettingsReport(context, configuration).print()
    }
}
