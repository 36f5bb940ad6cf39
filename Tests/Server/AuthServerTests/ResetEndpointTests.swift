import Foundation
import HTTPServer
import Testing

@testable import Accounts
@testable import AuthServer

/// A new password by a code of the operator.
struct ResetEndpointTests {
    private static func reset(
        _ fixture: ServerFixture, _ code: String, _ email: String = "ada@example.org",
        _ password: String = "a staple of batteries"
    ) -> HTTPResponse {
        fixture.send(
            .json("/account/reset", ["email": email, "code": code, "new_password": password]))
    }

    @Test func aCodeSetsThePasswordOnce() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        try fixture.makeAccount("eve@example.org")
        let name = try #require(EmailAddress("ada@example.org"))
        let code = try fixture.administration.makeResetCode(for: name, at: fixture.now).code
        let refresh = try fixture.signIn().text("refresh_token")
        // A code for a name with an account is no invitation.
        #expect(try fixture.administration.invitations(at: fixture.now).isEmpty)
        #expect(Self.reset(fixture, code, "eve@example.org").status == 403)
        #expect(Self.reset(fixture, code, "ada@example.org", "password").status == 422)
        #expect(Self.reset(fixture, code).status == 204)
        #expect(fixture.signIn("ada@example.org", "a staple of batteries").status == 200)
        #expect(fixture.signIn().status == 400)
        #expect(fixture.refresh(refresh).status == 400)
        #expect(Self.reset(fixture, code).status == 403)
    }

    @Test func anOldCodeAndAnInvitationAreRefused() throws {
        let fixture = try ServerFixture()
        try fixture.makeAccount()
        let name = try #require(EmailAddress("ada@example.org"))
        let code = try fixture.administration.makeResetCode(for: name, at: fixture.now).code
        fixture.wait(.seconds(24 * 60 * 60))
        #expect(Self.reset(fixture, code).status == 403)
        let other = try #require(EmailAddress("eve@example.org"))
        let invitation = try fixture.administration.invite(other, at: fixture.now).code
        #expect(Self.reset(fixture, invitation, "eve@example.org").status == 403)
        #expect(fixture.signIn().status == 200)
    }
}
