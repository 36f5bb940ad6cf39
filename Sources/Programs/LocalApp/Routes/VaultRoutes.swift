internal import HTTPServer
internal import SecretMemory
internal import Application
internal import Passkeys

extension PageRoute {
    private static let passphrase = ["--passphrase-file=-"]
    private static let accepting: [Part] = [.flag("accept_older"), .flag("accept_other")]

    /// The vault and its session.
    static let vault: [PageRoute] = [
        .command("GET", "state", "app-state"),
        .command("GET", "session", "status"),
        .command("POST", "vault/strength", "passphrase-strength", [], [.required("passphrase")]),
        PageRoute("POST", "vault/create", ["passphrase", "accept_other"]) { request in
            let made = try request.run(
                "init", [],
                [.flag("accept_other"), .required("passphrase", announced: passphrase)])
            guard made.exitCode == 0 else { return .outcome(made) }
            return .outcome(made, adding: try request.sessionAfterUnlock("passphrase"))
        },
        PageRoute(
            "POST", "session/unlock",
            ["passphrase", "recovery_code", "accept_older", "accept_other"]
        ) { request in
            let isRecovery = request.members.has("recovery_code")
            return .outcome(
                try request.run(
                    isRecovery ? "recovery unlock --offline" : "unlock --offline", [],
                    accepting + [
                        .required(
                            isRecovery ? "recovery_code" : "passphrase", announced: passphrase)
                    ]))
        },
        .command(
            "POST", "session/verify", "verify", [],
            [.required("passphrase", announced: passphrase)]),
        .command("POST", "session/lock", "lock"),
        PageRoute("POST", "vault/passphrase", ["passphrase", "recovery_code", "new_passphrase"]) {
            request in
            let isRecovery = request.members.has("recovery_code")
            let changed = try request.run(
                isRecovery ? "passphrase change --recovery" : "passphrase change", [],
                [
                    .required(isRecovery ? "recovery_code" : "passphrase", announced: passphrase),
                    .required("new_passphrase"),
                ])
            guard changed.exitCode == 0 else { return .outcome(changed) }
            return .outcome(
                try request.run(
                    "unlock --offline", [], [.required("new_passphrase", announced: passphrase)]))
        },
        .command(
            "POST", "vault/recovery-code", "recovery show-new", [],
            [.required("passphrase", announced: passphrase)]),
    ]

    /// Passkeys, and the changes of security keys that a page can make.
    static let passkeys: [PageRoute] = [
        .command("GET", "passkeys", "key list"),
        PageRoute("POST", "passkeys/challenge", ["purpose"]) { request in
            guard let purpose = try request.members.text("purpose"),
                ["register", "unlock", "verify"].contains(purpose)
            else { throw PageRequestError("purpose is register, unlock or verify") }
            return .outcome(
                try request.run(
                    [
                        "passkey-begin", "--host-label=\(request.origin.label)",
                        "--port=\(request.origin.port)",
                    ]
                        + (purpose == "register" ? ["--registering"] : [])))
        },
        .command(
            "POST", "passkeys/register", "passkey-register", [],
            [
                .text("client_data_base64", as: "client-data"),
                .text("attestation_object_base64", as: "attestation"),
            ]),
        .command(
            "POST", "passkeys/add", "passkey-add", [],
            assertion + [
                .text("label"), .required("passphrase", announced: passphrase),
                .required("output_base64"),
            ]),
        .command(
            "POST", "passkeys/rename", "passkey-rename", [],
            assertion + [
                .text("label"), .required("output_base64", announced: passphrase),
            ]),
        .command(
            "POST", "passkeys/unlock", "passkey-use", [],
            assertion + accepting + [.required("output_base64", announced: passphrase)]),
        .command(
            "POST", "passkeys/verify", "passkey-use --verifying", [],
            assertion + [.required("output_base64", announced: passphrase)]),
        PageRoute("POST", "passkeys/remove", ["id", "passphrase"]) { request in
            let removed = try request.run(
                "key remove", [.member("id")],
                [.required("passphrase", announced: passphrase)])
            guard removed.exitCode == 0 else { return .outcome(removed) }
            return .outcome(removed, adding: try request.sessionAfterUnlock("passphrase"))
        },
    ]

    /// The answer of a passkey.
    static let assertion: [Part] = [
        .text("credential_id_base64", as: "credential"),
        .text("client_data_base64", as: "client-data"),
        .text("authenticator_data_base64", as: "authenticator-data"),
        .text("signature_base64", as: "signature"),
    ]
}

extension AppRequest {
    /// Unlocks the vault with a passphrase that a command has just verified.
    ///
    /// - Returns: The member `session` with a leading comma; null after a failure.
    fileprivate func sessionAfterUnlock(_ name: String) throws -> String {
        let unlocked = try run(
            "unlock --offline", [], [.required(name, announced: ["--passphrase-file=-"])])
        guard unlocked.exitCode == 0 else { return #","session":null"# }
        var session = String(decoding: unlocked.output, as: UTF8.self)
        while session.hasSuffix("\n") { session.removeLast() }
        return #","session":"# + session
    }
}
