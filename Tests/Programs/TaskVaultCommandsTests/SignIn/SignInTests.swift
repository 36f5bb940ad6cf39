import Foundation
import HTTPClient
import SecretMemory
import SignIn
import Testing
import TestSupport

/// Signing in with the real client at the real server, over TLS.
@Suite(
    .enabled(if: OpenSSL.isAvailable, "needs openssl"), .timeLimit(.minutes(60)), .waitsForProcesses
)
struct SignInTests {
    private static let account = AccountHome.account

    /// The dialogue of a person who was invited.
    @Test func anAccountIsMadeWithAnInvitationAtTheTerminal() throws {
        let place = try AccountHome(
            isEncrypted: true, isSignedIn: false, options: ["--registration", "invitation"])
        let code = try #require(
            try place.server.run("account invite \(Self.account)")["code"] as? String)
        // The server is asked whether it invites: no person types a password in vain.
        let session = try TerminalSession(place.home, ["account", "create"])
        try session.answer("E-mail", Self.account)
        try session.waitFor("Invitation code: ")
        #expect(!session.echoes)
        try session.type(code + "\n")
        try session.answer("New password", "short")
        try session.waitFor("error: the password has fewer than 8 characters")
        try session.answer("New password", place.password)
        try session.answer("Repeat the password", "another one")
        try session.waitFor("error: the two passwords differ")
        try session.answer("New password", place.password)
        try session.answer("Repeat the password", place.password)
        #expect(try session.finish() == 0)
        #expect(
            session.screen.hasSuffix(
                "created the account; signed in as \(Self.account) at \(place.server.issuer)\r\n"))
        for secret in [code, place.password] { #expect(!session.screen.contains(secret)) }
        try place.expectSilentStart()
    }

    @Test func anInvitationAndAPasswordFromAFile() throws {
        let place = try AccountHome(
            isEncrypted: true, isSignedIn: false, options: ["--registration", "invitation"])
        let code = try #require(
            try place.server.run("account invite \(Self.account)")["code"] as? String)
        let refused = try place.ask(
            "account create eve@example.org --invitation", [code, place.password])
        expect(
            refused, ends: 8, "error: the server requires a valid invitation",
            "hint: ask the operator of the server for one; give --invitation")
        #expect(try place.ask("account create \(Self.account)", [place.password]).exitCode == 8)
        let made = try place.ask(
            "account create \(Self.account) --invitation --json", [code, place.password])
        expectDone(made)
        #expect(
            made.object as? [String: String] == [
                "account": Self.account, "server": place.server.issuer, "state": "signed_in",
            ])
        #expect(try place.cachedKinds() == ["password", "session"])
        // The code was for once.
        #expect(
            try place.ask(
                "account create \(Self.account) --invitation", [code, place.password]
            ).exitCode != 0)
    }

    /// News for the owner is in the inbox, once, if the owner wants that.
    @Test func aNewDeviceIsANoticeInTheInbox() throws {
        let place = try AccountHome()
        try place.expectSilentStart("without the setting")
        expectDone(try place.ask("settings set account-notices yes"))
        let notice = "taskvault: 1 notice about the account: taskvault inbox list"
        #expect(try place.unlock() == place.greeting + [notice])
        let messages = try place.home.messages()
        #expect(
            messages.map { $0["title"] as? String } == ["\(place.server.issuer): new device"])
        // Neither another start nor a declined notice repeats it.
        try place.expectSilentStart("the same event")
        let id = try #require(messages.first?["id"] as? String)
        try place.home.doInbox("decline", id)
        try place.expectSilentStart("a declined notice")
    }

    /// Tries wrong passwords until the server counts them no more.
    private func guess(_ place: AccountHome) throws {
        let stranger = try client(place)
        let account = try #require(AccountName(Self.account))
        for _ in 0..<7 {
            #expect(throws: SignInError.self) {
                _ = try stranger.signIn(
                    account, password: Samples.secret("a wrong password"), continuing: nil
                )
                .lifetime
            }
        }
    }

    @Test func aCopiedTokenAndGuessesAreNoticesInTheInbox() throws {
        let place = try AccountHome(isEncrypted: true)
        let copied = try refreshToken(place)
        // Two refreshes later it is no lost answer.
        for _ in 0..<2 { try place.expectSilentStart() }
        #expect(throws: SignInError.self) {
            _ = try client(place).refresh(Samples.secret(copied)).lifetime
        }
        try guess(place)
        // Neither holds up the owner's machine.
        expectDone(try place.ask("settings set account-notices yes"))
        let notice = "taskvault: 3 notices about the account: taskvault inbox list"
        #expect(try place.unlock() == place.greeting + [notice])
        let titles = try place.home.messages().compactMap { $0["title"] as? String }
        #expect(
            titles.sorted()
                == ["copied token", "new device", "wrong passwords"].map {
                    "\(place.server.issuer): \($0)"
                })
    }

    @Test func aCodeOfTheOperatorGetsANewDeviceInWhileOthersGuess() throws {
        let place = try AccountHome(isEncrypted: true)
        try guess(place)
        let other = try TestHome()
        try other.unlock()
        let authority = try #require(place.authority)
        expectDone(try other.ask("settings set server-ca \(authority.certificate)"))
        expectDone(try other.ask("settings set server \(place.server.issuer)"))
        func ask(_ words: String, _ lines: [String]) throws -> RunResult {
            try other.ask(
                words + " \(Self.account) --password-file -",
                input: lines.map { $0 + "\n" }.joined())
        }
        // The right password does not help from here.
        let held = try ask("login", [place.password])
        #expect(held.exitCode == 8 && held.errorText.contains("limits requests"))
        let code = try #require(
            try place.server.run("account reset-code \(Self.account)")["code"] as? String)
        let new = AccountHome.word("reset")
        expectDone(try ask("account reset", [code, new]))
        expectDone(try other.ask("whoami"))
        // From now on the server knows the device.
        let start = try other.runBare(["unlock", "--passphrase-file", other.passphraseFile])
        #expect(start.errorLines == place.greeting)
    }

    @Test func aPasswordIsTypedOnceAndNeverAgain() throws {
        let place = try AccountHome(isEncrypted: true)
        // Another machine, whose vault knows nothing of the account.
        let other = try TestHome()
        try other.unlock()
        let authority = try #require(place.authority)
        expectDone(try other.ask("settings set server-ca \(authority.certificate)"))
        expectDone(try other.ask("settings set server \(place.server.issuer)"))
        let session = try TerminalSession(other, ["login", Self.account])
        let question = "Password of \(Self.account) at \(place.server.issuer)"
        try session.answer(question, "wrong password")
        try session.waitFor("incorrect e-mail address or password")
        try session.answer(question, place.password)
        #expect(try session.finish() == 0)
        #expect(!session.screen.contains(place.password))
        // The second start has a terminal, and asks for the passphrase only.
        let start = try TerminalSession(other, ["unlock"])
        try start.answer("Passphrase", TestHome.passphrase)
        #expect(try start.finish() == 0)
        #expect(!start.screen.contains("Password"))
        #expect(start.screen.hasSuffix(place.greeting[0] + "\r\n"))
        expectDone(try other.ask("login"))
    }

    /// The password in the vault does not bring back a session that was ended, by the operator or by the person elsewhere.
    @Test(arguments: [true, false]) func anEndedSessionAsksForThePasswordAgain(byOperator: Bool)
        throws
    {
        let place = try AccountHome()
        try place.expectSilentStart()
        let listed = try place.ask("account sessions --json")
        expectDone(listed)
        #expect(listed.outputText.contains("\"network\":\"127.0.0.0/24\""))
        if byOperator {
            try place.server.run("account end-sessions \(Self.account)")
        } else {
            expectDone(try place.ask("account end-session all"))
        }
        let said = try place.unlock()
        #expect(
            said.contains {
                $0.contains("rejects the cached credentials")
                    && $0.contains("the session was ended")
            }, "\(said)")
        let session = try TerminalSession(place.home, ["login"])
        try session.waitFor("no longer accepts the password in the vault")
        try session.answer(
            "Password of \(Self.account) at \(place.server.issuer)", place.password)
        #expect(try session.finish() == 0)
        try place.expectSilentStart()
    }

    @Test func oneSessionIsEndedByTheBeginningOfItsID() throws {
        let place = try AccountHome()
        try place.expectSilentStart()
        let shown = try place.server.run("account show \(Self.account)")
        let sessions = try #require(shown["sessions"] as? [[String: Any]])
        let id = try #require(sessions.last?["id"] as? String)
        expect(
            try place.ask("account end-session \(String(repeating: "z", count: 8))"), ends: 5,
            "error: there is no session zzzzzzzz", "hint: taskvault account sessions")
        #expect(try place.ask("account sessions").outputText.contains(id.prefix(8)))
        let ended = try place.ask("account end-session \(id.prefix(12)) --json")
        expectDone(ended)
        let left = try #require(
            try place.server.run("account show \(Self.account)")["sessions"] as? [[String: Any]])
        #expect(!left.contains { $0["id"] as? String == id })
    }

    @Test func aCodeOfTheOperatorSetsANewPasswordOnce() throws {
        let place = try AccountHome()
        try place.expectSilentStart()
        let code = try #require(
            try place.server.run("account reset-code \(Self.account)")["code"] as? String)
        let new = AccountHome.word("reset")
        // Until it is used, nothing changed.
        try place.expectSilentStart()
        expectDone(try place.ask("account reset \(Self.account)", [code, new]))
        #expect(try place.cached("password") == new)
        try place.expectSilentStart()
        let again = try place.ask("account reset \(Self.account)", [code, "another \(new)"])
        expect(
            again, ends: 10, "error: the code is wrong, used or expired",
            "hint: ask the operator of the server for a new one")
        #expect(!again.errorText.contains(code))
        #expect(try place.cached("password") == new)
        #expect(!place.server.log.contains(code) && !place.server.log.contains(new))
    }

    @Test func aCommandThatUnlocksSignsInSilently() throws {
        let place = try AccountHome(isEncrypted: true)
        for (command, signsIn) in [("secret list", true), ("whoami", false)] {
            expectDone(try place.home.ask("lock"))
            let session = try TerminalSession(
                place.home, command.split(separator: " ").map(String.init))
            try session.answer("Passphrase", TestHome.passphrase)
            #expect(try session.finish() == 0)
            // A command about the account signs in itself, if it has to.
            #expect(session.screen.contains(place.greeting[0]) == signsIn)
        }
    }

    @Test func whoami() throws {
        let place = try AccountHome(isEncrypted: true)
        #expect(
            try place.ask("whoami").outputText
                == "\(Self.account) at \(place.server.issuer)\n")
        #expect(
            try place.ask("whoami --json").outputText
                == #"{"account":"\#(Self.account)","offline_until":null,"server":"\#(place.server.issuer)","state":"signed_in"}"#
                + "\n")
        // The server is asked: without its database it knows no account.
        try place.server.run("account remove \(Self.account) --yes")
        #expect(try place.ask("whoami").exitCode == 10)
    }

    @Test func logoutEndsTheSessionThereAndKeepsThePassword() throws {
        let place = try AccountHome(isEncrypted: true)
        let token = try refreshToken(place)
        #expect(try place.server.sessions() == 1)
        let ended = try place.ask("logout")
        expectDone(ended)
        #expect(ended.outputText == "signed out of \(place.server.issuer)\n")
        #expect(try place.server.sessions() == 0)
        #expect(throws: SignInError.rejected) {
            _ = try client(place).refresh(Samples.secret(token)).lifetime
        }
        expect(
            try place.ask("whoami"), ends: 5,
            "error: not signed in at \(place.server.issuer)", "hint: taskvault login")
        // An unlock does not sign in after a logout.
        #expect(try place.unlock() == [])
        #expect(try place.server.sessions() == 0)
        expectDone(try place.ask("login"))
        #expect(try place.server.sessions() == 1)
        try place.expectSilentStart()
    }

    @Test func logoutCanForgetThePassword() throws {
        let place = try AccountHome(isEncrypted: true)
        expectDone(try place.ask("logout --forget"))
        #expect(try place.cached("password") == nil)
        #expect(try place.unlock() == [])
        // No account is named.
        #expect(try place.ask("login").exitCode == 2)
        let refused = try place.ask("login \(Self.account)")
        #expect(refused.exitCode == 2)
        expectDone(try place.ask("login \(Self.account)", [place.password]))
    }

    @Test func aPasswordIsChangedAtTheServerAndInTheVault() throws {
        let place = try AccountHome(isEncrypted: true)
        let second = try place.copy()
        try second.unlock()
        #expect(try place.server.sessions() == 2)
        let new = AccountHome.word("changed")
        let session = try TerminalSession(place.home, ["account", "password"])
        try session.answer("Current password", place.password)
        try session.answer("New password", new)
        try session.answer("Repeat the password", new)
        #expect(try session.finish() == 0)
        for secret in [place.password, new] { #expect(!session.screen.contains(secret)) }
        #expect(try place.cached("password") == new)
        #expect(try place.cached("pending-password") == nil)
        // Every other session is over; this one goes on.
        #expect(try place.server.sessions() == 1)
        #expect(try second.ask("whoami").exitCode == 10)
        #expect(try place.ask("whoami").exitCode == 0)
        try place.expectSilentStart()
        #expect(throws: SignInError.notAccepted(detail: "incorrect e-mail address or password")) {
            let account = try #require(AccountName(Self.account))
            _ = try client(place).signIn(
                account, password: Samples.secret(place.password), continuing: nil
            )
            .lifetime
        }
        expect(
            try place.ask("account password", [place.password, "something else"]), ends: 10,
            "error: the current password is wrong")
        #expect(try place.cached("password") == new)
    }

    @Test func aPasswordThatIsRefusedChangesNothing() throws {
        let place = try AccountHome(isEncrypted: true)
        for (lines, code) in [
            ([place.password, "short"], Int32(8)), ([place.password, place.password], 8),
            (["wrong password", "something else"], 10), ([place.password], 2),
        ] {
            #expect(try place.ask("account password", lines).exitCode == code, "\(lines)")
            #expect(try place.cached("password") == place.password)
            #expect(try place.cached("pending-password") == nil)
        }
        try place.expectSilentStart()
    }

    @Test func anAccountIsRemovedAfterConsent() throws {
        let place = try AccountHome(isEncrypted: true)
        let refused = try TerminalSession(place.home, ["account", "remove"])
        try refused.waitFor(
            "This removes the account \(Self.account) from \(place.server.issuer) permanently.")
        try refused.answer("Type \(Self.account) to remove it", "yes")
        #expect(try refused.finish() == 8)
        #expect(try place.ask("account remove", [place.password]).exitCode == 2)
        #expect(try place.ask("account remove --yes", ["wrong password"]).exitCode == 10)
        #expect(try place.ask("whoami").exitCode == 0)
        let session = try TerminalSession(place.home, ["account", "remove"])
        try session.answer("Type \(Self.account) to remove it", Self.account)
        try session.answer("Password", place.password)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("removed the account \(Self.account)"))
        #expect(try place.cachedKinds() == [])
        #expect(try place.unlock() == [])
        #expect(try place.ask("whoami").exitCode == 5)
        let list = try #require(try place.server.run("account list")["accounts"] as? [Any])
        #expect(list.isEmpty)
    }

    @Test func withoutTheAgentThePassphraseComesFirst() throws {
        let place = try AccountHome(isEncrypted: true)
        expectDone(try place.ask("logout --forget"))
        expectDone(try place.home.ask("lock"))
        let session = try TerminalSession(place.home, ["--no-agent", "login", Self.account])
        try session.answer("Passphrase", TestHome.passphrase)
        try session.answer(
            "Password of \(Self.account) at \(place.server.issuer)", place.password)
        #expect(try session.finish() == 0)
        // Both from one file: first the passphrase.
        expectDone(try place.home.run("logout --forget"))
        let both = try place.home.runBare(
            [
                "--no-agent", "login", Self.account, "--passphrase-file", "-", "--password-file",
                "-",
            ], input: Array("\(TestHome.passphrase)\n\(place.password)\n".utf8))
        expectDone(both)
        try place.expectSilentStart()
    }

    private func refreshToken(_ place: AccountHome) throws -> String {
        let tokens = try #require(try place.cached("session"))
        return try #require(
            tokens.split(separator: "\n").first { $0.hasPrefix("tvr_") }.map(String.init))
    }

    /// A client without a vault.
    private func client(_ place: AccountHome) throws -> OAuthClient {
        let authority = try #require(place.authority)
        let issuer = try #require(Issuer(try WebURL(place.server.issuer)))
        return OAuthClient(
            issuer,
            try HTTPClient(
                HTTPClientOptions(authorities: .bytes(try Files.read(authority.certificate)))))
    }
}
