import Testing
import TestSupport

/// Exchanges that break off, other than a change of the password: the next start goes on with what there is.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct BrokenExchangeTests {
    private static let account = AccountHome.account

    @Test(arguments: Relay.Moment.allCases)
    func aRefreshThatBreaksOffNeedsNoPassword(moment: Relay.Moment) throws {
        let place = try AccountHome()
        let before = place.server.relay.passwordsTried
        place.server.relay.breakNext("POST /oauth/token refresh", moment)
        #expect(try place.ask("login").exitCode == 9)
        // The token that was used up is valid until its successor is used.
        try place.expectSilentStart()
        #expect(try place.server.sessions() == 1)
        #expect(place.server.relay.passwordsTried == before)
    }

    @Test(arguments: Relay.Moment.allCases)
    func aFirstSignInThatBreaksOffIsRepeated(moment: Relay.Moment) throws {
        let place = try AccountHome()
        expectDone(try place.ask("logout --forget"))
        place.server.relay.breakNext("POST /oauth/token password", moment)
        #expect(try place.ask("login \(Self.account)", [place.password]).exitCode == 9)
        // The server's acceptance is not known here.
        #expect(try place.cached("password") == nil)
        #expect(try place.unlock() == [])
        expectDone(try place.ask("login \(Self.account)", [place.password]))
        #expect(try place.cached("password") == place.password)
    }

    @Test(arguments: Relay.Moment.allCases)
    func anAccountWhoseAnswerIsLost(moment: Relay.Moment) throws {
        let place = try AccountHome(isSignedIn: false)
        place.server.relay.breakNext("POST /account", moment)
        let create = "account create \(Self.account)"
        #expect(try place.ask(create, [place.password]).exitCode == 9)
        #expect(try place.cachedKinds() == [])
        let again = try place.ask(create, [place.password])
        #expect(again.exitCode == (moment == .beforeTheRequest ? 0 : 6))
        expectDone(try place.ask("login \(Self.account)", [place.password]))
    }

    @Test(arguments: Relay.Moment.allCases)
    func aRemovalWhoseAnswerIsLost(moment: Relay.Moment) throws {
        let place = try AccountHome()
        place.server.relay.breakNext("POST /account/remove", moment)
        #expect(try place.ask("account remove --yes", [place.password]).exitCode == 9)
        let again = try place.ask("account remove --yes", [place.password])
        #expect(again.exitCode == (moment == .beforeTheRequest ? 0 : 10))
        // logout --forget removes it.
        if again.exitCode != 0 { expectDone(try place.ask("logout --forget")) }
        #expect(try place.cached("password") == nil)
        #expect(try place.unlock() == [])
    }

    @Test func aLogoutThatDoesNotArrive() throws {
        let place = try AccountHome()
        place.server.relay.breakNext("POST /oauth/revoke", .beforeTheRequest)
        let ended = try place.ask("logout --json")
        expectDone(ended)
        #expect(ended.failure["warning"] as? String == "not_revoked")
        #expect(try place.cached("session") == "")
        #expect(try place.unlock() == [])
    }

    @Test func twoAccountsTakeTurns() throws {
        let place = try AccountHome()
        let other = "bob@example.org"
        expectDone(try place.ask("account create \(other)", ["another password"]))
        #expect(
            try place.ask("whoami").outputText == "\(other) at \(place.server.issuer)\n")
        // Each has a password of its own in the vault.
        expectDone(try place.ask("login \(Self.account)"))
        try place.expectSilentStart()
        expectDone(try place.ask("login \(other)"))
        #expect(
            try place.unlock() == ["taskvault: signed in as \(other) at \(place.server.issuer)"])
    }
}
