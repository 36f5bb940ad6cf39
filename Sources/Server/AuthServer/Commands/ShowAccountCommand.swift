internal import Accounts
internal import CommandLine

/// `account show`: shows an account and its sessions.
enum ShowAccountCommand: ServerCommand {
    static let description = CommandDescription(
        path: ["account", "show"],
        summary: "show an account and its sessions",
        operands: [.email],
        examples: [
            .init("taskvault-authd account show ada@example.org", "its state and its sessions")
        ],
        exitCodes: .ofDatabase)

    static func run(_ context: ServerContext) throws {
        let email = try context.email()
        let now = context.now
        let details = try context.withAccounts { try $0.details(of: email, at: now) }
        if context.isJSON {
            try printJSON(details, context)
        } else {
            try printText(details, context)
        }
    }

    private static func printText(
        _ details: AccountDetails, _ context: ServerContext
    ) throws {
        let account = details.account
        var lines = [
            ("email", account.email.text), ("id", account.id.text), ("state", account.state),
            ("created", account.created.text),
            ("password", "of " + account.passwordChanged.text),
            ("second factor", secondFactors(details.secondFactors)),
            ("known devices", String(details.devices)),
            ("sessions", String(details.sessions.count)),
        ].map { name, value in TextWidth.pad(name, to: 14) + VisibleText.escape(value) }
        var table = TextTable(
            ["CLIENT", "SINCE", "USED", "ENDS", "NETWORK"].map { TextTable.Column($0) }
                + [TextTable.Column("DEVICE", takesRest: true)])
        for own in details.sessions {
            let session = own.session
            table.add(
                [session.client]
                    + [session.created, session.refreshed, session.expires].map { $0.text }
                    + [own.network, own.device])
        }
        let columns = TerminalCapabilities(of: context.output).columns
        if !details.sessions.isEmpty { lines += [""] + table.lines(limit: columns) }
        try context.printLines(lines)
    }

    /// The second factors as text.
    private static func secondFactors(_ summary: SecondFactorSummary) -> String {
        guard !summary.factors.isEmpty else { return "none" }
        let passkeys = summary.factors.count { !$0.isAuthenticator }
        let parts = [
            summary.factors.count == passkeys ? nil : "authenticator app",
            passkeys == 0 ? nil : counted(passkeys, "passkey"),
            counted(summary.recoveryCodes, "recovery code"),
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static func printJSON(
        _ details: AccountDetails, _ context: ServerContext
    ) throws {
        try context.printJSON { json in
            try json.beginObject()
            try json.members(of: details.account)
            try json.member("known_devices", details.devices)
            try json.key("second_factors")
            try json.beginArray()
            for factor in details.secondFactors.factors {
                try json.beginObject()
                try json.member("id", factor.id.text)
                try json.member("kind", factor.isAuthenticator ? "totp" : "passkey")
                try json.member("label", factor.label)
                try json.member("created", milliseconds: factor.created.milliseconds)
                try json.member("used", milliseconds: factor.used?.milliseconds)
                try json.endObject()
            }
            try json.endArray()
            try json.member("recovery_codes_left", details.secondFactors.recoveryCodes)
            try json.key("sessions")
            try json.beginArray()
            for own in details.sessions {
                let session = own.session
                try json.beginObject()
                try json.member("id", session.id.text)
                try json.member("client", session.client)
                try json.member("created", milliseconds: session.created.milliseconds)
                try json.member("refreshed", milliseconds: session.refreshed.milliseconds)
                try json.member("expires", milliseconds: session.expires.milliseconds)
                try json.member("scope", session.grant.scope.text)
                try json.member("network", own.network)
                try json.member("device", own.device)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}
