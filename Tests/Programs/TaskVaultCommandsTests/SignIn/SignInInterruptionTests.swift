import Testing
import TestSupport

/// Ctrl-C at each question of the commands about the account: nothing has changed, and the terminal is as it was.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SignInInterruptionTests {
    private static let account = AccountHome.account

    /// Answers some questions and interrupts at the one after them.
    private func interrupt(
        _ place: AccountHome, _ command: String, _ answers: [(String, String)], at last: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let session = try TerminalSession(
            place.home, command.split(separator: " ").map(String.init))
        for (question, answer) in answers { try session.answer(question, answer) }
        try session.waitFor(last + ": ")
        try session.type("half an answ\u{3}")
        #expect(try session.finish() == 130, "\(last)", sourceLocation: sourceLocation)
        #expect(session.echoes, "\(last)", sourceLocation: sourceLocation)
    }

    @Test func login() throws {
        let place = try AccountHome()
        expectDone(try place.ask("logout --forget"))
        let question = "Password of \(Self.account) at \(place.server.issuer)"
        let before = place.server.relay.passwordsTried
        try interrupt(place, "login", [], at: "E-mail")
        try interrupt(place, "login", [("E-mail", Self.account)], at: question)
        #expect(place.server.relay.passwordsTried == before)
        try interrupt(place, "login \(Self.account)", [(question, "wrong")], at: question)
        #expect(place.server.relay.passwordsTried == before + 1)
        #expect(try place.cached("password") == nil)
        #expect(try place.ask("whoami").exitCode == 5)
        #expect(try place.unlock() == [])
    }

    @Test func accountCreate() throws {
        let place = try AccountHome(isSignedIn: false)
        let questions = [
            ("E-mail", Self.account), ("Invitation code", "code"), ("New password", "12345678"),
            ("Repeat the password", "12345678"),
        ]
        for number in questions.indices {
            try interrupt(
                place, "account create --invitation", Array(questions[..<number]),
                at: questions[number].0)
        }
        // The server was looked at, and got nothing.
        #expect(place.server.relay.posts == 0)
        #expect(try place.cachedKinds() == [])
        #expect(try place.unlock() == [])
    }

    @Test func accountPassword() throws {
        let place = try AccountHome()
        let tokens = try place.cached("session")
        let questions = [
            ("Current password", place.password), ("New password", "12345678"),
            ("Repeat the password", "12345678"),
        ]
        let before = place.server.relay.posts
        for number in questions.indices {
            try interrupt(
                place, "account password", Array(questions[..<number]), at: questions[number].0)
        }
        #expect(place.server.relay.posts == before)
        #expect(try place.cachedKinds() == ["password", "session"])
        #expect(try place.cached("session") == tokens)
        try place.expectSilentStart()
    }

    @Test func accountRemove() throws {
        let place = try AccountHome()
        let consent = "Type \(Self.account) to remove it"
        try interrupt(place, "account remove", [], at: consent)
        try interrupt(place, "account remove", [(consent, Self.account)], at: "Password")
        #expect(try place.cachedKinds() == ["password", "session"])
        #expect(try place.ask("whoami").exitCode == 0)
    }

    /// While it waits for the server there is no question; the system ends it.
    @Test func whileTheServerThinks() throws {
        let place = try AccountHome()
        place.server.relay.holdNext("POST /oauth/token", .beforeTheAnswer)
        let session = try TerminalSession(place.home, ["login"])
        try place.server.relay.waitUntilHeld()
        try session.type("\u{3}")
        #expect(try session.finish() == 130)
        #expect(session.echoes)
        place.server.relay.release()
        try place.expectSilentStart()
    }
}
