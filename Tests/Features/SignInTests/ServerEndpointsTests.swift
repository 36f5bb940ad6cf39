import HTTPClient
import Testing

@testable import SignIn

@Suite("The endpoints and the redirect of a server, as the user sets them")
struct ServerEndpointsTests {
    @Test(
        "have one spelling",
        arguments: [
            ("token=https://a.example.org/t", "token=https://a.example.org/t"),
            (
                " device=https://a.example.org/d  token=HTTPS://A.example.org:443/t?x=y ",
                "token=https://a.example.org/t?x=y device=https://a.example.org/d"
            ),
            (
                "revocation=http://localhost:1/r authorization=https://b.example.org/a token=http://127.0.0.1:1/t",
                "token=http://127.0.0.1:1/t authorization=https://b.example.org/a revocation=http://localhost:1/r"
            ),
        ])
    func spelling(typed: String, text: String) throws {
        let endpoints = try #require(ServerEndpoints(typed))
        #expect(endpoints.text == text)
        #expect(ServerEndpoints(text) == endpoints)
    }

    @Test(
        "are pairs of a known name and a safe address, with one token endpoint",
        arguments: [
            "", "token", "token=", "token=http://a.example.org/t", "token=ftp://localhost/",
            "authorization=https://a.example.org/a", "other=https://a.example.org/t",
            "token=https://a.example.org/t token=https://a.example.org/t",
            "token=https://a.example.org/t other=https://a.example.org/",
            "token=https://user@a.example.org/", "Token=https://a.example.org/t",
        ])
    func refused(text: String) {
        #expect(ServerEndpoints(text) == nil)
    }

    @Test("select the way to sign in")
    func methods() throws {
        let issuer = try makeIssuer("https://auth.example.org")
        for (more, methods) in [
            ("", [SignInMethod.password]), (" authorization=https://a.example.org/a", [.browser]),
            (" device=https://a.example.org/d", [.device]),
            (
                " device=https://a.example.org/d authorization=https://a.example.org/a",
                [.browser, .device]
            ),
        ] {
            let endpoints = try #require(ServerEndpoints("token=https://a.example.org/t" + more))
            #expect(ServerMetadata(endpoints, of: issuer).methods == methods)
        }
    }

    @Test(
        "of a redirect are on this machine",
        arguments: [
            ("http://127.0.0.1/callback", "http://127.0.0.1:7/callback"),
            ("http://localhost:8400/", "http://localhost:8400/"),
            ("http://[::1]/a/b", "http://[::1]:7/a/b"),
            ("HTTP://LOCALHOST:80/callback", "http://localhost:7/callback"),
        ])
    func redirect(typed: String, used: String) throws {
        let address = try #require(RedirectAddress(typed))
        #expect(address.address(port: address.port ?? 7) == used)
        #expect(RedirectAddress(address.text) == address)
    }

    @Test(
        "of a redirect are nothing else",
        arguments: [
            "", "none", "https://localhost/callback", "http://127.0.0.2/callback",
            "http://auth.example.org/callback", "http://localhost/callback?a=b",
            "http://localhost/callback#a", "http://user@localhost/callback", "localhost:8400",
        ])
    func otherRedirect(typed: String) {
        #expect(RedirectAddress(typed) == nil)
    }

    @Test("of a redirect are by default any port of 127.0.0.1, and the path /callback")
    func standard() {
        #expect(RedirectAddress.standard.text == "http://127.0.0.1/callback")
    }
}
