import Testing
import TestSupport

/// Two machines whose vault is one database: the password belongs to both, the session to each.
@Suite(
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
    .timeLimit(.minutes(60)), .waitsForProcesses)
struct SharedVaultTests {
    @Test func aPasswordThatOneChangesIsTheOthersToo() throws {
        try withMachines { here, there, server in
            let password = AccountHome.word("password")
            let changed = AccountHome.word("changed")
            try createAccount(here, server, password)

            // The other machine never saw the password.
            try there.unlock()
            expectDone(try there.ask("whoami"))
            #expect(try server.sessions() == 2)
            let tried = server.relay.passwordsTried
            expectDone(
                try here.ask(
                    "account password --password-file -", input: "\(password)\n\(changed)\n"))
            #expect(try server.sessions() == 1)
            expectDone(try there.ask("login"))
            #expect(server.relay.passwordsTried == tried + 1)
            #expect(try server.sessions() == 2)
            expectDone(try here.ask("whoami"))
            // Signing out here says nothing about there.
            expectDone(try here.ask("logout"))
            expectDone(try there.ask("whoami"))
        }
    }

    /// One machine changes the password and dies before it hears of it; the other finds out.
    @Test func aChangeThatBrokeOffIsFinishedByTheOther() throws {
        try withMachines { here, there, server in
            let password = AccountHome.word("password")
            let changed = AccountHome.word("changed")
            try createAccount(here, server, password)

            try there.unlock()
            expectDone(try there.ask("whoami"))
            // The first machine cannot find out by itself.
            server.relay.breakNext("POST /account/password", .beforeTheAnswer, forGood: true)
            let broken = try here.ask(
                "account password --password-file -", input: "\(password)\n\(changed)\n")
            #expect(broken.exitCode == 9)
            server.reconnect()
            let failures = server.log.ranges(of: #""path":"/oauth/token","status":400"#).count
            expectDone(try there.ask("login"))
            expectDone(try here.ask("login"))
            expectDone(try here.ask("whoami"))
            let now = server.log.ranges(of: #""path":"/oauth/token","status":400"#).count
            #expect(now <= failures + 1)
        }
    }

    /// Runs `body` with two machines that have one vault, and an auth server.
    private func withMachines(
        _ body: (_ here: TestHome, _ there: TestHome, AuthServer) throws -> Void
    ) throws {
        try withPostgreSQLDatabase { address in
            let here = try TestHome(withVault: false)
            let there = try TestHome(withVault: false)
            for home in [here, there] {
                expectDone(try home.runBare(["settings", "set", "vault", address]))
            }
            try here.make()
            let server = try AuthServer(in: here.folder + "/server")
            defer { server.stop() }
            try body(here, there, server)
        }
    }

    /// Makes an account from one of the machines, which is signed in then.
    private func createAccount(
        _ here: TestHome, _ server: AuthServer, _ password: String
    ) throws {
        try here.unlock()
        expectDone(try here.ask("settings set server \(server.issuer)"))
        expectDone(
            try here.ask(
                "account create \(AccountHome.account) --password-file -",
                input: password + "\n"))
    }
}
