import Foundation
import Testing
import TestSupport

/// A second factor at the real server, with the vault's own codes as the app.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses)
struct SecondFactorTests {
    private static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    /// A home whose account has an authenticator app, and its recovery codes.
    private static func home() throws -> (place: AccountHome, codes: [String]) {
        let place = try AccountHome()
        expectDone(
            try place.home.ask("secret set app.example ada --field totp", input: secret))
        let code = try place.home.ask("secret code app.example ada").outputText
        let added = try place.ask(
            "account second-factor add --json", [place.password, secret, code])
        expectDone(added)
        let codes = try #require(added.object["recovery_codes"] as? [String])
        #expect(codes.count == 10)
        return (place, codes)
    }

    /// The account's mark at the server and its sessions go: the next sign-in is one from an unknown device.
    private static func forget(_ place: AccountHome) throws {
        try place.server.run("account end-sessions \(AccountHome.account)")
    }

    @Test func theStartStaysSilentWithIt() throws {
        let (place, _) = try Self.home()
        try place.expectSilentStart("by the refresh token")
        expectDone(try place.ask("logout"))
        expectDone(try place.ask("login"))
        try place.expectSilentStart("after a sign-in by the password on a known device")
    }

    @Test func anUnknownDeviceNeedsIt() throws {
        let (place, codes) = try Self.home()
        try Self.forget(place)
        let missing = try place.ask("login --json", [place.password])
        #expect(missing.exitCode != 0)
        #expect(missing.errorText.contains(#""second_factor_required""#))
        let wrong = try place.ask("login --code", ["000000", place.password])
        #expect(wrong.exitCode != 0)
        #expect(wrong.errorText.contains("the second factor is wrong or was used before"))
        expectDone(try place.ask("login --code", [codes[0], place.password]))
        try place.expectSilentStart()
        let again = try place.ask("account second-factor list --json")
        #expect(again.object["recovery_codes_left"] as? Int == 9)
        // The vault has the password, and a start says what is missing.
        try Self.forget(place)
        expectDone(try place.ask("login --code", [codes[1], place.password]))
        expectDone(try place.ask("logout"))
        try Self.forget(place)
        let refused = try place.ask("login --code", [codes[1], place.password])
        #expect(refused.exitCode != 0, "a recovery code is for once")
    }

    @Test func aPersonIsAskedForTheCodeAtTheTerminal() throws {
        let (place, codes) = try Self.home()
        try Self.forget(place)
        let session = try TerminalSession(place.home, ["login"])
        try session.answer(
            "Password of \(AccountHome.account) at \(place.server.issuer)", place.password)
        let question = "Code of the app, or recovery code, for \(place.server.issuer)"
        try session.answer(question, "000000")
        try session.waitFor("the code is wrong or was used before")
        try session.answer(question, codes[0])
        #expect(try session.finish() == 0)
        for secret in [codes[0], place.password] { #expect(!session.screen.contains(secret)) }
        try place.expectSilentStart()
    }

    @Test func changesAreListedConfirmedAndTakenBack() throws {
        let (place, codes) = try Self.home()
        let listed = try place.ask("account second-factor list")
        expectDone(listed)
        #expect(listed.outputText.contains("authenticator"))
        #expect(listed.outputText.contains("recovery codes left: 10"))
        let unconfirmed = try place.ask("account second-factor codes", [place.password])
        #expect(unconfirmed.exitCode != 0)
        let wrong = try place.ask("account second-factor codes", [place.password, "000000"])
        #expect(wrong.errorText.contains("the second factor is wrong or was used before"))
        let renewed = try place.ask("account second-factor codes", [place.password, codes[0]])
        expectDone(renewed)
        let new = renewed.outputText.split(separator: "\n").filter {
            $0.wholeMatch(of: /[A-Z2-7]{4}(-[A-Z2-7]{4}){3}/) != nil
        }.map(String.init)
        #expect(new.count == 10 && !new.contains(codes[1]))
        let unknown = try place.ask("account second-factor remove zz", [place.password, new[0]])
        #expect(unknown.errorText.contains("the account has no such second factor"))
        expectDone(try place.ask("account second-factor remove all", [place.password, new[0]]))
        #expect(
            try place.ask("account second-factor list").outputText
                == "none: the password alone signs in\n")
        try Self.forget(place)
        expectDone(try place.ask("login", [place.password]))
    }

    @Test func theOperatorResetsIt() throws {
        let (place, _) = try Self.home()
        try Self.forget(place)
        #expect(try place.ask("login", [place.password]).exitCode != 0)
        let reset = try place.server.run("account reset-second-factor \(AccountHome.account)")
        #expect(reset["removed_second_factors"] as? Int == 1)
        expectDone(try place.ask("login", [place.password]))
    }
}
