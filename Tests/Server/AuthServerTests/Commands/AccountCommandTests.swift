import Foundation
import Testing
import TestSupport

/// The commands about accounts, by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct AccountCommandTests {
    /// A home with a server of low password cost, and one account.
    private func homeWithAccount() throws -> (ServerHome, ServingProcess) {
        let home = try ServerHome()
        let server = try ServingProcess(
            home, ["--password-passes", "2", "--password-memory", "19"])
        let invited = try home.run("account invite Ada@Example.org --json").object()
        let code = try #require(invited["code"] as? String)
        #expect(
            Self.makeAccount(invitation: code, port: server.port).hasPrefix("HTTP/1.1 201"))
        return (home, server)
    }

    private static func makeAccount(invitation: String, port: UInt16) -> String {
        Connection.request(
            "POST /account", port: port, fields: ["Content-Type: application/json"],
            body:
                #"{"email":"ada@example.org","password":"first password","invitation":"\#(invitation)"}"#
        )
    }

    private static func signIn(_ password: String, port: UInt16) -> String {
        let words = password.replacingOccurrences(of: " ", with: "+")
        return Connection.form(
            "/oauth/token",
            "grant_type=password&client_id=taskvault&username=ada%40example.org&password=\(words)",
            port: port)
    }

    @Test func anInvitationIsPrintedOnceAndListed() throws {
        let home = try ServerHome()
        expect(try home.run("account list"), ends: 5, "does not exist", "account invite")
        let invited = try home.run("account invite ADA@example.org --expires 12h")
        #expect(invited.exitCode == 0)
        #expect(invited.output.hasPrefix("tvi_"))
        #expect(invited.output.split(separator: "\n").count == 1)
        #expect(invited.errors.contains("for ada@example.org, once, until "))
        let listed = try home.run("account list")
        expect(listed, ends: 0, "ada@example.org", "invited")
        #expect(!listed.output.contains("tvi_"))
        // A second invitation replaces the first one.
        let object = try home.run("account invite ada@example.org --json").object()
        #expect(Set(object.keys) == ["email", "code", "expires"])
        let all = try home.run("account list --json").object()
        #expect((all["accounts"] as? [Any])?.count == 0)
        let invitations = try #require(all["invitations"] as? [[String: Any]])
        #expect(invitations.count == 1)
        #expect(Set(invitations[0].keys) == ["email", "created", "expires"])
        #expect(invitations[0]["expires"] as? String == object["expires"] as? String)
        expect(try home.run("account remove ada@example.org --yes"), ends: 0, "removed ada@")
        expect(
            try home.run("account remove ada@example.org --yes"), ends: 5,
            "account or invitation not found")
        #expect(try home.run("account list").output == "")
    }

    @Test func theDatabaseIsForItsOwnerOnly() throws {
        let home = try ServerHome()
        _ = try home.run("account invite ada@example.org")
        let attributes = try FileManager.default.attributesOfItem(atPath: home.database)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: home.database))
        #expect(bytes.range(of: Data("tvi_".utf8)) == nil)
    }

    @Test func anAccountIsShownDisabledAndEnabledWhileAServerRuns() throws {
        let (home, server) = try homeWithAccount()
        expect(try home.run("account invite ada@example.org"), ends: 6, "account list")
        #expect(Self.signIn("first password", port: server.port).hasPrefix("HTTP/1.1 200"))
        let shown = try home.run("account show ADA@EXAMPLE.ORG")
        expect(shown, ends: 0, "ada@example.org", "enabled", "CLIENT", "taskvault")
        #expect(!shown.output.contains("$argon2id"))
        let object = try home.run("account show ada@example.org --json").object()
        #expect(
            Set(object.keys) == [
                "id", "email", "email_verified", "disabled", "created", "password_changed",
                "known_devices", "second_factors", "recovery_codes_left", "sessions",
            ])
        #expect((object["sessions"] as? [Any])?.count == 1)

        expect(try home.run("account disable ada@example.org"), ends: 0, "disabled ada@")
        #expect(Self.signIn("first password", port: server.port).hasPrefix("HTTP/1.1 400"))
        let disabled = try home.run("account show ada@example.org --json").object()
        #expect(disabled["disabled"] as? Bool == true)
        #expect((disabled["sessions"] as? [Any])?.count == 0)
        expect(try home.run("account list"), ends: 0, "disabled")
        expect(
            try home.run("account enable ada@example.org --json"), ends: 0,
            #"{"email":"ada@example.org","done":"enabled"}"#)
        #expect(Self.signIn("first password", port: server.port).hasPrefix("HTTP/1.1 200"))

        #expect(shown.output.contains("second factor none\n"))
        expect(
            try home.run("account reset-second-factor ada@example.org"), ends: 0,
            "removed 0 second factors of ada@example.org")
        expect(
            try home.run("account reset-second-factor ada@example.org --json"), ends: 0,
            #""removed_second_factors":0"#)
        expect(
            try home.run("account reset-second-factor bob@example.org"), ends: 5,
            "account not found")
        expect(
            try home.run("account end-sessions ada@example.org --json"), ends: 0,
            #""ended_sessions":1"#,
            #""change_password":"taskvault-authd account reset-code ada@example.org""#)
        expect(
            try home.run("account end-sessions ada@example.org"), ends: 0,
            "ended 0 sessions of ada@example.org",
            "a copied password still signs in; for a new one: taskvault-authd account reset-code ada@example.org"
        )
        expect(
            try home.run("account remove ada@example.org"), ends: 2,
            "cannot ask whether to remove ada@example.org", "give --yes")
        expect(try home.run("account remove ada@example.org --yes --json"), ends: 0, "removed")
        #expect(Self.signIn("first password", port: server.port).hasPrefix("HTTP/1.1 400"))
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test func aPasswordIsResetFromAFileOrStandardInput() throws {
        let (home, server) = try homeWithAccount()
        home.environment["TASKVAULT_AUTHD_PASSWORD_MEMORY"] = "19"
        home.environment["TASKVAULT_AUTHD_PASSWORD_PASSES"] = "2"
        let reset = ["account", "reset-password", "ada@example.org"]
        expect(
            try home.run(reset, input: "second password\n"), ends: 0,
            "set the password of ada@example.org")
        #expect(Self.signIn("first password", port: server.port).hasPrefix("HTTP/1.1 400"))
        #expect(Self.signIn("second password", port: server.port).hasPrefix("HTTP/1.1 200"))
        let file = try home.write("password", "third password\nmore\n", mode: 0o644)
        expect(
            try home.run(reset + ["--password-file", file]), ends: 0,
            "warning: other users can read the password file")
        #expect(Self.signIn("third password", port: server.port).hasPrefix("HTTP/1.1 200"))
        #expect(
            try home.run("account end-sessions ada@example.org").output
                == "ended 1 session of ada@example.org\n")

        expect(
            try home.run("account invite ADA@example.org"), ends: 6,
            "account ADA@example.org already exists")
        expect(try home.run(reset, input: "short\n"), ends: 8, "fewer than 8 characters")
        expect(
            try home.run(reset, input: String(repeating: "x", count: 1_025)), ends: 8,
            "more than 1024 bytes")
        expect(try home.run(reset), ends: 2, "unexpected end of input: the new password is missing")
        expect(
            try home.run(reset + ["hunter2"]), ends: 2, "unexpected argument", "shell's history")
        expect(try home.run(reset + ["--password-file", "/nowhere"]), ends: 2, "cannot read")
        expect(
            try home.run("account reset-password eve@example.org", input: "a password\n"), ends: 5,
            "account not found")
        #expect(Self.signIn("third password", port: server.port).hasPrefix("HTTP/1.1 200"))
    }

    @Test(arguments: ["show", "disable", "enable", "end-sessions", "reset-password", "invite"])
    func anInvalidNameIsRefused(command: String) throws {
        let home = try ServerHome()
        for name in ["", "ada", "@example.org", "ada@", "a b@example.org", "a@b@example.org"] {
            let refused = try home.run(["account", command, name])
            expect(refused, ends: 2, "EMAIL must be an e-mail address of at most 254 bytes")
        }
        if command != "invite" {
            expect(
                try home.run("account \(command) ada@example.org"), ends: 5, "does not exist")
        }
    }

    @Test func wrongTimesAndNamesAreRefused() throws {
        let home = try ServerHome()
        for time in ["0", "7", "366d", "-1d", "1w", ""] {
            expect(
                try home.run(["account", "invite", "ada@example.org", "--expires", time]), ends: 2,
                "option '--expires' takes a time from 1m to 365d")
        }
        #expect(!FileManager.default.fileExists(atPath: home.database))
    }

    @Test func aForeignDatabaseIsRefused() throws {
        let home = try ServerHome()
        try FileManager.default.createDirectory(
            atPath: home.folder + "/data", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try home.write("data/accounts.db", "not a database at all, but text of some length")
        for command in ["account list", "account invite ada@example.org", "serve"] {
            let refused = try home.run(command)
            expect(refused, ends: 8, "is not a TaskVault account database")
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: home.database)
        expect(try home.run("account list"), ends: 8, "is not safe to use")
        home.environment["TASKVAULT_AUTHD_DATABASE"] = "postgresql://ada:hunter2@localhost/x"
        let refused = try home.run("account list")
        expect(
            refused, ends: 2,
            "TASKVAULT_AUTHD_DATABASE cannot be used: a password in the address would be visible",
            "host:port:database:user:password into ~/.pgpass")
        #expect(!refused.errors.contains("hunter2"))
    }

    @Test func aFolderOpenToAllUsersIsRefusedWithAHint() throws {
        let home = try ServerHome()
        expect(try home.run("account invite ada@example.org"), ends: 0)
        unsafe chmod(home.folder + "/data", 0o755)
        let refused = try home.run("account list")
        expect(refused, ends: 8, "accessible to other users", "chmod go= \(home.folder)/data")
        unsafe chmod(home.folder + "/data", 0o700)
        expect(try home.run("account list"), ends: 0)
    }

    @Test func aMissingServerIsUnreachable() throws {
        let home = try ServerHome()
        home.environment["TASKVAULT_AUTHD_DATABASE"] =
            "postgresql:///accounts?host=\(home.folder)"
        let refused = try home.run("account list --json")
        // A missing libpq is reported first.
        #expect(
            refused.exitCode == 9 || refused.errors.contains("libpq is not installed"),
            "\(refused.errors)")
    }

    @Test func aClientIsMadeAndConfigured() throws {
        let home = try ServerHome()
        let made = try home.run("client add billing --json").object()
        let line = try #require(made["line"] as? String)
        let secret = try #require(made["secret"] as? String)
        #expect(line.hasPrefix("client billing = "))
        #expect(!line.contains(secret))
        expect(try home.run("client add billing"), ends: 0, "tvc_", "client billing = ")
        try home.write("authd.conf", line + "\n")
        expect(try home.run("client add billing"), ends: 6, "client billing already exists")
        expect(try home.run("client add taskvault"), ends: 6)
        expect(try home.run(["client", "add", "a b"]), ends: 2, "NAME must be 1 to 64 letters")

        let server = try ServingProcess(home)
        let credentials = Data("billing:\(secret)".utf8).base64EncodedString()
        let answer = Connection.request(
            "POST /oauth/introspect", port: server.port,
            fields: [
                "Content-Type: application/x-www-form-urlencoded",
                "Authorization: Basic \(credentials)",
            ], body: "token=tva_x")
        #expect(answer.contains(#"{"active":false}"#), "\(answer)")
        server.signal(SIGINT)
        #expect(server.finish() == 0)
        #expect(!server.log.contains(secret))
    }
}
