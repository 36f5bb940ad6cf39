internal import HTTPServer
internal import Application

extension PageRoute {
    private static let passwords = ["--password-file=-"]
    /// These settings name programs, files and servers of this machine. A page must not change
    /// them.
    private static let closedSettings: Set = [
        "database", "vault", "reminder-command", "server-ca",
    ]

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

    /// The account at the server.
    static let account: [PageRoute] = [
        .command("GET", "account", "whoami"),
        .command(
            "POST", "account/sign-in", "login", [.optional("email")],
            [.line("password", announced: passwords)]),
        .command("GET", "account/sessions", "account sessions"),
        .command("POST", "account/end-session", "account end-session", [.member("session")]),
        .command("POST", "account/sign-out", "logout", [], [.flag("forget")]),
        .command(
            "POST", "account/password", "account password", [],
            [.required("password", announced: passwords), .required("new_password")]),
        .command(
            "POST", "account/create", "account create", [.member("email")],
            [
                .line("invitation", announced: ["--invitation"]),
                .required("password", announced: passwords),
            ]),
    ]
}
