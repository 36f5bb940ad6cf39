internal import HTTPServer
internal import Application

extension PageRoute {
    private static let passwords = ["--password-file=-"]
    /// The settings that a page may change. The others name programs, files and databases of this
    /// machine: a script in a page could otherwise run programs and read files.
    static let openSettings: Set = [
        "verification-window", "idle-limit", "absolute-limit", "require-locked-memory",
        "require-rollback-record", "verify-with-fingerprint", "earlier-values", "earlier-days",
        "removed-days", "server", "server-client", "server-key", "allow-caching-credentials",
        "offline-limit", "file-sort", "file-sizes", "inbox-pictures", "allow-saving", "task-order",
        "remind-by-default", "clear-after", "snooze", "clear-clipboard-after", "services-secrets",
        "services-git", "services-docker",
    ]
    /// The setting whose value is a secret. A page gives the value itself, never a file.
    private static let secretSetting = "client-secret"

    static let settings: [PageRoute] = [
        .command("GET", "settings", "settings list"),
        PageRoute("POST", "settings", ["name", "value"]) { request in
            guard let name = try request.members.text("name") else {
                throw PageRequestError("name is missing")
            }
            if name == secretSetting {
                let isRemoved = request.members.isNull("value")
                return .outcome(
                    try request.run(
                        ["settings", "set"], operands: [name, isRemoved ? "none" : "-"],
                        input: isRemoved
                            ? nil : CommandInput(lines: ["value"], of: request.members)))
            }
            guard openSettings.contains(name) else {
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
