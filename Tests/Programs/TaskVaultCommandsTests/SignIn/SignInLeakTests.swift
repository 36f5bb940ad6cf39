import Foundation
import Testing
import TestSupport

/// Passwords, tokens and invitations are in the vault and nowhere else.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SignInLeakTests {
    /// All that is secret in the life of an account; a vault that was made before and holds none of it.
    private struct Life {
        let place: AccountHome
        var secrets: [String] = []
        var said = ""

        init() throws {
            place = try AccountHome(
                isSignedIn: false, options: ["--registration", "invitation"])
            let invited = try place.server.run("account invite \(AccountHome.account)")
            let code = try #require(invited["code"] as? String)
            secrets = [code, place.password]
            try run("account create \(AccountHome.account) --invitation", secrets, ends: 0)
            try run("account create \(AccountHome.account) --invitation", secrets, ends: 8)
            try start()
            let new = AccountHome.word("changed")
            secrets.append(new)
            try run("account password", [place.password, new], ends: 0)
            try start()
            try run("account password", [place.password, new], ends: 10)
            try run("whoami --json", [], ends: 0)
            try run("logout", [], ends: 0)
            try run("login", [], ends: 0)
            try start()
            // A change with an unknown outcome.
            let last = AccountHome.word("lost")
            secrets.append(last)
            place.server.relay.breakNext("POST /account/password", .beforeTheRequest)
            try run("account password", [new, last], ends: 9)
            #expect(try place.cached("pending-password") == last)
            try run("login eve@example.org", [place.password], ends: 10)
            for command in ["status", "settings list --json", "secret list --json", "doctor"] {
                let said = try place.ask(command)
                self.said += said.outputText + said.errorText
            }
            try noteTokens()
        }

        private mutating func run(_ words: String, _ lines: [String], ends code: Int32) throws {
            let result = try place.ask(words, lines)
            #expect(result.exitCode == code, "\(words): \(result.errorText)")
            said += result.outputText + result.errorText
            try noteTokens()
        }

        private mutating func start() throws {
            said += try place.unlock().joined()
            try noteTokens()
        }

        private mutating func noteTokens() throws {
            let tokens = try place.cached("session") ?? ""
            for token in tokens.split(separator: "\n").map(String.init)
            where !secrets.contains(token) { secrets.append(token) }
        }
    }

    @Test func noFileAndNoMessageHoldsAny() throws {
        let life = try Life()
        // Access and refresh token of several sign-ins, three passwords and a code.
        #expect(life.secrets.count >= 12)
        let search = ByteSearch(for: life.secrets)
        #expect(search.findings(in: Array(life.said.utf8)).isEmpty)
        #expect(search.findings(in: Array(life.place.server.log.utf8)).isEmpty)
        // The vault, its log, rollback records, the server's database and logs; while all is open, and closed.
        #expect(try search.findings(below: life.place.home.folder).isEmpty)
        expectDone(try life.place.ask("lock"))
        life.place.server.stop()
        #expect(try search.findings(below: life.place.home.folder).isEmpty)
    }

    /// The search finds what is there.
    @Test func theSearchFindsATokenInAFile() throws {
        let place = try AccountHome()
        let tokens = try #require(try place.cached("session"))
        let token = try #require(tokens.split(separator: "\n").first.map(String.init))
        try Files.write("x\(token)x", to: place.home.folder + "/somewhere")
        let found = try ByteSearch(for: [token]).findings(below: place.home.folder)
        #expect(found.keys.sorted() == ["somewhere"])
    }

    #if os(Linux)
        /// A process that cannot be traced shows these to the administrator only.
        @Test(.enabled(if: geteuid() == 0, "needs root"))
        func argumentsAndEnvironmentAreFreeOfThemWhileItRuns() throws {
            let place = try AccountHome()
            let relay = place.server.relay
            relay.holdNext("POST /account/password", .beforeTheAnswer)
            let new = AccountHome.word("changed")
            let session = try TerminalSession(place.home, ["account", "password"])
            try session.answer("Current password", place.password)
            try session.answer("New password", new)
            try session.answer("Repeat the password", new)
            try relay.waitUntilHeld()
            let tokens = try #require(try place.cached("session")).split(separator: "\n")
            let search = ByteSearch(for: [place.password, new] + tokens.map(String.init))
            for process in [session.process, try #require(place.home.agentProcess)] {
                for file in ["cmdline", "environ"] {
                    let bytes = try Files.read("/proc/\(process)/\(file)")
                    #expect(!bytes.isEmpty)
                    #expect(search.findings(in: bytes).isEmpty, "\(file)")
                }
            }
            relay.release(unbroken: true)
            #expect(try session.finish() == 0)
        }
    #endif

    @Test func noOptionTakesASecret() throws {
        let place = try AccountHome()
        let word = AccountHome.word("canary")
        for command in ["login", "account create", "account password", "account remove"] {
            for option in ["--password", "--invitation", "--token", "--new-password"] {
                let refused = try place.ask("\(command) \(option)=\(word)")
                #expect(refused.exitCode == 2)
                #expect(!refused.errorText.contains(word))
            }
        }
        #expect(!place.server.log.contains(word))
    }
}
