internal import Application
internal import HTTPServer

extension PageRoute {
    /// These settings name programs, files and servers of this machine. A page must not change
    /// them.
    private static let closedSettings: Set = [
        "database", "vault", "reminder-command", "server-ca",
    ]

    /// The settings: all of them, and a change of one.
    static let settings: [PageRoute] = [
        .command("GET", "settings", "settings list"),
        PageRoute("POST", "settings", ["name", "value"]) { request in
            if let name = try request.members.text("name"), closedSettings.contains(name) {
                throw PageRequestError(
                    "this setting is changed on the command line", status: 403, code: "forbidden")
            }
            return .outcome(
                try request.run("settings set --yes", [.member("name"), .member("value")], []))
        },
    ]
}
