import Foundation
import Testing
import TestSupport

/// The commands about the whole database, by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct DatabaseCommandTests {
    /// A home with two accounts that signed in.
    private func homeWithSessions() throws -> ServerHome {
        let home = try ServerHome()
        let server = try ServingProcess(
            home, ["--password-passes", "2", "--password-memory", "19"])
        for name in ["ada", "eve"] {
            let invited = try home.run("account invite \(name)@example.org --json").object()
            let code = try #require(invited["code"] as? String)
            let made = Connection.request(
                "POST /account", port: server.port, fields: ["Content-Type: application/json"],
                body:
                    #"{"email":"\#(name)@example.org","password":"first password","invitation":"\#(code)"}"#
            )
            #expect(made.hasPrefix("HTTP/1.1 201"))
            #expect(Self.signIn(name, server.port).hasPrefix("HTTP/1.1 200"))
        }
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        return home
    }

    private static func signIn(_ name: String, _ port: UInt16) -> String {
        Connection.form(
            "/oauth/token",
            "grant_type=password&client_id=taskvault&username=\(name)%40example.org&password=first+password&device_name=laptop",
            port: port)
    }

    private static func sessions(_ home: ServerHome, _ name: String) throws -> [[String: Any]] {
        let shown = try home.run("account show \(name)@example.org --json").object()
        return try #require(shown["sessions"] as? [[String: Any]])
    }

    @Test func allSessionsAreEndedTogether() throws {
        let home = try homeWithSessions()
        let shown = try #require(Self.sessions(home, "ada").first)
        #expect(shown["network"] as? String == "127.0.0.0/24")
        #expect(shown["device"] as? String == "laptop")
        expect(
            try home.run("account show ada@example.org"), ends: 0, "127.0.0.0/24", "laptop")
        expect(try home.run("account end-sessions"), ends: 2, "EMAIL or --all is missing")
        expect(
            try home.run("account end-sessions ada@example.org --all"), ends: 2,
            "exclude each other")
        expect(
            try home.run("account end-sessions --all"), ends: 0,
            "ended 2 sessions of all accounts",
            "a copied password still signs in; for a new one: taskvault-authd account reset-code EMAIL"
        )
        #expect(try Self.sessions(home, "eve").isEmpty)
        expect(
            try home.run("account end-sessions --all --json"), ends: 0, #""ended_sessions":0"#,
            #""change_password":"taskvault-authd account reset-code EMAIL""#)
        let events = try home.run("audit")
        expect(events, ends: 0, "device_added", "sessions_ended", "eve@example.org", "laptop")
        let own = try home.run("audit ada@example.org --limit 1 --json").object()
        let listed = try #require(own["events"] as? [[String: Any]])
        #expect(listed.map { $0["action"] as? String } == ["sessions_ended"])
        #expect(listed.first?["email"] as? String == "ada@example.org")
        expect(try home.run("audit nobody@example.org"), ends: 5, "account not found")
    }

    @Test func aBackupIsRestoredByOneCommandWhileTheServerRuns() throws {
        let home = try homeWithSessions()
        let backup = home.folder + "/backup.db"
        try FileManager.default.copyItem(atPath: home.database, toPath: backup)
        expect(try home.run("account remove eve@example.org --yes"), ends: 0)
        let server = try ServingProcess(
            home, ["--password-passes", "2", "--password-memory", "19"])
        #expect(Self.signIn("eve", server.port).hasPrefix("HTTP/1.1 400"))
        expect(try home.run(["restore", backup]), ends: 2, "give --yes")
        expect(
            try home.run(["restore", backup, "--yes"]), ends: 0,
            "restored 2 accounts, and ended 2 sessions")
        #expect(Self.signIn("eve", server.port).hasPrefix("HTTP/1.1 200"))
        expect(
            try home.run(["restore", home.folder + "/none.db", "--yes"]), ends: 5,
            "does not exist")
        expect(
            try home.run(["restore", home.database, "--yes"]), ends: 2, "is the database itself")
        let other = try home.write("other.db", "no database at all")
        expect(try home.run(["restore", other, "--yes"]), ends: 8, "other.db")
        #expect(try Self.sessions(home, "eve").count == 1, "nothing was changed")
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test func theDatabaseMovesToAnotherFile() throws {
        let home = try homeWithSessions()
        let target = home.folder + "/new/accounts.db"
        expect(
            try home.run(["move-database", home.database]), ends: 2, "the accounts are already in")
        expect(try home.run(["move-database", "http://x"]), ends: 2, "DATABASE takes the path")
        let moved = try home.run(["move-database", target, "--json"])
        #expect(moved.exitCode == 0, "\(moved.errors)")
        let kept = try #require(try moved.object()["kept"] as? String)
        #expect(FileManager.default.fileExists(atPath: kept))
        #expect(!FileManager.default.fileExists(atPath: home.database))
        #expect(try moved.object()["lines"] as? [String] == ["database = \(target)"])
        home.environment["TASKVAULT_AUTHD_DATABASE"] = target
        #expect(try Self.sessions(home, "ada").count == 1)
        expect(try home.run(["move-database", kept]), ends: 6, "already has accounts")
    }

    #if os(Linux)
        @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
        func theDatabaseMovesToAServerAndBack() throws {
            let home = try homeWithSessions()
            try withPostgreSQLDatabase { address in
                let there = try home.run(["move-database", address])
                expect(there, ends: 0, "copied 2 accounts to ", "database = \(address)")
                home.environment["TASKVAULT_AUTHD_DATABASE"] = address
                let server = try ServingProcess(
                    home, ["--password-passes", "2", "--password-memory", "19"])
                #expect(Self.signIn("ada", server.port).hasPrefix("HTTP/1.1 200"))
                server.signal(SIGTERM)
                #expect(server.finish() == 0)
                let target = home.folder + "/back.db"
                expect(
                    try home.run(["move-database", target]), ends: 0, "copied 2 accounts to ",
                    "continue to use the old database")
                home.environment["TASKVAULT_AUTHD_DATABASE"] = target
                #expect(try Self.sessions(home, "ada").count == 2)
            }
        }
    #endif

    @Test func aServiceIsRegisteredWithItsURLAndItsScopes() throws {
        let home = try ServerHome()
        let url = "https://billing.example.org"
        let made = try home.run(
            ["client", "add", "bills", "--resource", url, "--scope", "b", "--scope", "a", "--json"]
        ).object()
        let line = try #require(made["line"] as? String)
        #expect(line.hasSuffix(" \(url) a b"))
        // A token for all services opens the account to the one that it is shown to.
        for (words, isWarned) in [
            ("client add own", true), ("client add other --resource \(url)/other", false),
            ("client add app --public --scope a", false),
        ] {
            let said = try home.run(words)
            #expect(said.exitCode == 0)
            #expect(
                said.errors.contains("allows everything in its account") == isWarned,
                "\(said.errors)")
        }
        let phone = try home.run("client add phone --public --scope a --json").object()
        #expect(phone["line"] as? String == "client phone = public a")
        #expect(phone["secret"] is NSNull)
        for (words, message) in [
            ("client add x --public", "--public needs --scope"),
            ("client add x --scope a", "--scope needs --resource"),
            ("client add x --public --resource \(url)", "exclude each other"),
            ("client add x --resource \(url) --scope account", "cannot have the scope account"),
            ("client add x --resource billing", "begins with https://"),
            ("client add x --resource \(url)#a", "has no fragment"),
        ] {
            expect(try home.run(words), ends: 2, message)
        }
        try home.write("authd.conf", line + "\nclient phone = public a\n")
        let server = try ServingProcess(home)
        let metadata = Connection.request(
            "GET /.well-known/oauth-authorization-server", port: server.port)
        #expect(metadata.contains(#""scopes_supported":["a","account","b"]"#))
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        for (line, message) in [
            (
                line + "\n" + line.replacingOccurrences(of: "bills", with: "more"),
                "already has the URL"
            ),
            ("client x = nothing", "64 hexadecimal digits"),
            ("client x = public \"", "without quotation marks"),
        ] {
            try home.write("authd.conf", line + "\n")
            expect(try home.run("account list"), ends: 2, message)
        }
    }
}
