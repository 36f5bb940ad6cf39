import Foundation
import SecretMemory
import Testing
import TextCoding

@testable import SignIn

@Suite("An ID token")
struct IDTokenTests {
    private static let now = PointInTime(seconds: 1_800_000_000)

    /// A token with these claims, and without a valid signature.
    static func token(_ claims: String) -> String {
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
        return [part(#"{"alg":"RS256"}"#), part(claims), "c2lnbmF0dXJl"].joined(separator: ".")
    }

    private func account(_ token: String, nonce: String? = "n") throws -> String? {
        let issuer = try makeIssuer("https://auth.example.org")
        let endpoints = try #require(ServerEndpoints("token=https://auth.example.org/t"))
        return try IDToken.account(
            in: secret(token), of: ServerMetadata(endpoints, of: issuer), for: "taskvault",
            nonce: nonce, at: Self.now)?.text
    }

    private static let issuer = #""iss":"https://auth.example.org""#
    private static let rest = #""exp":1800000001,"nonce":"n","sub":"s""#

    @Test("names the account by its e-mail address, its name or its subject")
    func names() throws {
        for (more, name) in [
            ("", "s"),
            (#","email":"ada@example.org","preferred_username":"ada""#, "ada@example.org"),
            (#","preferred_username":"ada""#, "ada"), (#","email":"","preferred_username":7"#, "s"),
            (#","email":null"#, "s"),
        ] {
            let claims = #"{\#(Self.issuer),"aud":"taskvault",\#(Self.rest)\#(more)}"#
            #expect(try account(Self.token(claims)) == name)
        }
    }

    @Test("may name several audiences, and an expiry in any form of a number")
    func forms() throws {
        for claims in [
            #"{\#(Self.issuer),"aud":["taskvault"],\#(Self.rest)}"#,
            #"{\#(Self.issuer),"aud":["other","taskvault"],"azp":"taskvault",\#(Self.rest)}"#,
            #"{\#(Self.issuer),"aud":"taskvault","exp":1.8e9,"nonce":"n","sub":"s"}"#,
            // A clock may be wrong by some minutes.
            #"{\#(Self.issuer),"aud":"taskvault","exp":1799999701.5,"nonce":"n","sub":"s"}"#,
        ] {
            #expect(try account(Self.token(claims)) == "s")
        }
        let bare = Self.token(#"{\#(Self.issuer),"aud":"taskvault","exp":1800000001,"sub":"s"}"#)
        #expect(try account(bare, nonce: nil) == "s")
    }

    @Test(
        "is refused if it is not the server's, not for this program, or not for this sign-in",
        arguments: [
            (#""iss":"https://auth.example.org/","aud":"taskvault",REST"#, "of another server"),
            (#""iss":"https://evil.example.org","aud":"taskvault",REST"#, "of another server"),
            (#""aud":"taskvault",REST"#, "of another server"),
            (#"ISS,"aud":"other",REST"#, "for another program"),
            (#"ISS,REST"#, "for another program"),
            (#"ISS,"aud":["taskvault","other"],REST"#, "for another program"),
            (#"ISS,"aud":"taskvault","azp":"other",REST"#, "for another program"),
            (#"ISS,"aud":"taskvault","exp":1799999700,"nonce":"n""#, "expired"),
            (#"ISS,"aud":"taskvault","nonce":"n""#, "expired"),
            (#"ISS,"aud":"taskvault","exp":"1800000001","nonce":"n""#, "expired"),
            (#"ISS,"aud":"taskvault","exp":1e99,"nonce":"n""#, "expired"),
            (#"ISS,"aud":"taskvault","exp":1800000001,"nonce":"m""#, "for another sign-in"),
            (#"ISS,"aud":"taskvault","exp":1800000001"#, "for another sign-in"),
        ])
    func refused(claims: String, reason: String) throws {
        let claims = claims.replacing("ISS", with: Self.issuer).replacing("REST", with: Self.rest)
        let error = #expect(throws: SignInError.self) { try account(Self.token("{\(claims)}")) }
        guard case .untrusted(let detail, byCertificate: false) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.hasSuffix(reason), "\(detail)")
    }

    @Test(
        "is refused if it is no JSON Web Token",
        arguments: ["", "a", "a.b", "..", "a.b.c", "a.e30.c.d", "a.!!!.c"])
    func malformed(token: String) {
        #expect(throws: SignInError.untrusted(detail: "its ID token is not valid")) {
            try account(token)
        }
    }
}
