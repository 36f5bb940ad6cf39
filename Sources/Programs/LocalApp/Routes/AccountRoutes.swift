internal import Passkeys

extension PageRoute {
    private static let passwords = ["--password-file=-"]

    /// The account at the server.
    static let account: [PageRoute] = [
        .command("GET", "account", "whoami"),
        PageRoute("POST", "account/sign-in", ["email", "password", "code"]) { request in
            let hasPassword = request.members.has("password")
            return .outcome(
                try request.run(
                    "login", [.optional("email")],
                    [
                        .line("code", announced: ["--code"] + (hasPassword ? [] : passwords)),
                        .line("password", announced: passwords),
                    ]))
        },
        .command(
            "POST", "account/sign-in-passkey", "account-sign-in", [.optional("email")],
            assertion + [.line("password", announced: passwords)]),
        PageRoute("POST", "account/challenge", ["purpose", "email", "password"]) { request in
            .outcome(
                try request.run(
                    "account-challenge --host-label=\(request.origin.label)"
                        + " --port=\(request.origin.port)", [.optional("email")],
                    [.text("purpose"), .line("password", announced: passwords)]))
        },
        .command("GET", "account/second-factor", "account second-factor list"),
        .command("POST", "account/second-factor/secret", "authenticator-secret"),
        .command(
            "POST", "account/second-factor/change", "account-factor", [],
            assertion + [
                .text("change"), .text("factor"), .text("label"),
                .text("registration_data_base64", as: "registration-data"),
                .text("attestation_object_base64", as: "attestation"),
                .required("password", announced: passwords), .line("code"), .line("secret"),
                .line("app_code"),
            ]),
        .command("GET", "account/method", "sign-in-method"),
        .command("POST", "account/web-sign-in", "web-sign-in"),
        .command("POST", "account/web-sign-in-wait", "web-sign-in-wait"),
        .command("POST", "account/web-sign-in-end", "web-sign-in-end"),
        .command("GET", "account/sessions", "account sessions"),
        .command("GET", "account/events", "account sessions --events"),
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
