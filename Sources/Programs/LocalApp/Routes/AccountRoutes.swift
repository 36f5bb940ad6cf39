extension PageRoute {
    private static let passwords = ["--password-file=-"]

    /// The account at the server.
    static let account: [PageRoute] = [
        .command("GET", "account", "whoami"),
        .command(
            "POST", "account/sign-in", "login", [.optional("email")],
            [.line("password", announced: passwords)]),
        .command("POST", "account/web-sign-in", "web-sign-in"),
        .command("POST", "account/web-sign-in-wait", "web-sign-in-wait"),
        .command("POST", "account/web-sign-in-end", "web-sign-in-end"),
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
