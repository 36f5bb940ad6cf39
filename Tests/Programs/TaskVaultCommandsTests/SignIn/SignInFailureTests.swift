import Testing
import TestSupport

/// Exit codes and messages of what goes wrong; and that nothing is lost by it.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SignInFailureTests {
    private static let account = AccountHome.account
    private static let asking = [
        "login \(account)", "logout", "whoami", "account create \(account)", "account password",
        "account remove --yes",
    ]

    @Test func withoutAServerNothingOfItIsThere() throws {
        let home = try TestHome()
        try home.unlock()
        for command in Self.asking {
            expect(
                try home.ask(command), ends: 5, "error: no auth server is set",
                "hint: taskvault settings set server https://auth.example.org")
        }
        #expect(try home.ask("whoami --json").failure["code"] as? String == "no_server")
        let unlocked = try home.runBare(["unlock", "--passphrase-file", home.passphraseFile])
        #expect(unlocked.errors == [])
        // The name of the machine, which the log of reads has, too.
        #expect(Files.names(in: home.folder + "/state/taskvault/sign-in") == ["lock", "machine"])
    }

    @Test func aLockedVaultTellsNothing() throws {
        let place = try AccountHome()
        try place.home.ask("lock")
        let before = place.server.relay.connections
        for command in Self.asking + ["settings get server", "settings set server none"] {
            expect(
                try place.ask(command), ends: 3, "error: the vault is locked",
                "hint: taskvault unlock")
        }
        #expect(place.server.relay.connections == before)
    }

    @Test func aServerThatIsDownLeavesEverythingAsItWas() throws {
        let place = try AccountHome()
        let server = place.server.issuer
        let tokens = try #require(try place.cached("session"))
        place.server.relay.stop()
        place.server.stop()
        let unreachable = "cannot reach \(server): connection refused"
        for command in ["login", "account create eve@example.org"] {
            expect(
                try place.ask(command, command == "login" ? [] : [place.password]), ends: 9,
                "error: " + unreachable)
        }
        expect(
            try place.ask("account password", [place.password, "something else"]), ends: 9,
            "error: " + unreachable)
        #expect(try place.ask("account remove --yes", [place.password]).exitCode == 9)
        #expect(try place.ask("login --json").failure["code"] as? String == "server_unreachable")
        #expect(try place.cached("session") == tokens)
        #expect(try place.cached("password") == place.password)
        #expect(try place.cached("pending-password") == nil)
        let said = try place.unlock()
        #expect(said.count == 1)
        #expect(
            said[0].wholeMatch(
                of:
                    /taskvault: offline; sign-in of ada@example\.org valid for 167h5[0-9]m: cannot reach .*/
            ) != nil, "\(said)")
        let known = try place.ask("whoami")
        #expect(known.exitCode == 0)
        #expect(known.errorText == "taskvault: warning: \(unreachable)\n")
        #expect(known.outputText.hasPrefix("\(Self.account) at \(server) (offline, valid for "))
        let object = try place.ask("whoami --json").object
        #expect(object["state"] as? String == "offline")
        #expect(object["offline_until"] as? String != nil)
        // After the limit there is no sign-in, and nothing is lost.
        expectDone(try place.ask("settings set offline-limit 1s"))
        #expect(try Processes.wait { try place.ask("whoami").exitCode == 9 })
        #expect(try place.unlock() == ["taskvault: warning: not signed in: \(unreachable)"])
        #expect(try place.cached("session") == tokens)
        #expect(try place.cached("password") == place.password)
        let ended = try place.ask("logout")
        expectDone(ended)
        #expect(
            ended.errorText
                == "taskvault: warning: the session was not ended at the server and expires there: \(unreachable)\n"
        )
    }

    @Test func offlineTouchesNoNetwork() throws {
        let place = try AccountHome()
        _ = try place.unlock()
        let before = place.server.relay.connections
        #expect(try place.unlock("--offline") == [])
        let code = AccountHome.word("value")
        try place.home.tell(code)
        for command in ["secret list", "task list", "task add milk", "status", "settings list"] {
            expectDone(try place.ask(command))
        }
        #expect(place.server.relay.connections == before)
        try place.expectSilentStart()
        #expect(place.server.relay.connections > before)
    }

    @Test func aPasswordThatWasResetIsTriedOnceAndAskedFor() throws {
        let place = try AccountHome()
        let relay = place.server.relay
        let new = AccountHome.word("reset")
        try place.server.run(
            "account reset-password \(Self.account) --password-file -", input: new + "\n")
        let before = relay.passwordsTried
        let server = place.server.issuer
        func warning(_ said: String = "") -> [String] {
            [
                "taskvault: warning: not signed in: \(server) rejects the cached credentials of \(Self.account)\(said) (taskvault login, or taskvault logout --forget)"
            ]
        }
        #expect(try place.unlock() == warning(": incorrect e-mail address or password"))
        #expect(relay.passwordsTried == before + 1)
        // A refused password is not sent again by any command.
        for _ in 0..<3 { #expect(try place.unlock() == warning()) }
        expect(
            try place.ask("whoami"), ends: 10,
            "error: \(server) no longer accepts the password in the vault",
            "hint: taskvault login asks for it; taskvault logout --forget forgets it")
        #expect(try place.ask("login").exitCode == 10)
        #expect(try place.ask("login --json").failure["code"] as? String == "server_rejected")
        #expect(relay.passwordsTried == before + 1)
        // The server's own log says the same.
        #expect(place.server.log.ranges(of: #""path":"/oauth/token","status":400"#).count == 2)
        let session = try TerminalSession(place.home, ["login"])
        try session.waitFor("the server no longer accepts the password in the vault")
        try session.answer("Password of \(Self.account) at \(server)", new)
        #expect(try session.finish() == 0)
        #expect(try place.cached("password") == new)
        try place.expectSilentStart()
    }

    @Test func threeWrongAnswersEndIt() throws {
        let place = try AccountHome()
        expectDone(try place.ask("logout --forget"))
        let before = place.server.relay.passwordsTried
        let session = try TerminalSession(place.home, ["login", Self.account])
        for _ in 0..<3 {
            try session.answer(
                "Password of \(Self.account) at \(place.server.issuer)", "wrong password")
        }
        #expect(try session.finish() == 10)
        #expect(place.server.relay.passwordsTried == before + 3)
        #expect(try place.cached("password") == nil)
        #expect(try place.ask("login nobody@example.org", ["wrong password"]).exitCode == 10)
    }

    @Test func guessingIsThrottled() throws {
        let place = try AccountHome(
            isSignedIn: false, options: ["--guess-free-failures", "1"])
        expectDone(try place.ask("account create \(Self.account)", [place.password]))
        expectDone(try place.ask("logout --forget"))
        // Not after an earlier sign-in: that address is known to the server.
        for _ in 0..<2 {
            _ = try place.ask("login eve@example.org", ["wrong password"])
        }
        let refused = try place.ask("login eve@example.org", ["wrong password"])
        #expect(refused.exitCode == 8)
        #expect(
            refused.errorLines.first?.wholeMatch(
                of: /taskvault: error: .* limits requests: try again in [0-9]+[ms](?:[0-9]+s)?/)
                != nil,
            "\(refused.errorText)")
        #expect(refused.errorLines.last == "taskvault: hint: wait, and run it again")
        #expect(
            try place.ask("login eve@example.org --json", ["wrong password"]).failure["code"]
                as? String == "throttled")
    }

    @Test func aNameThatIsTaken() throws {
        let place = try AccountHome()
        expect(
            try place.ask("account create \(Self.account)", ["another password"]), ends: 6,
            "error: account \(Self.account) already exists at \(place.server.issuer)",
            "hint: taskvault login \(Self.account) signs in")
        #expect(try place.cached("password") == place.password)
    }
}
