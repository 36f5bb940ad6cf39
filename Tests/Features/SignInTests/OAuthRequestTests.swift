import Foundation
import HTTPClient
import SecretMemory
import SignIn
import Testing

@Suite("A request to an OAuth server")
struct OAuthRequestTests {
    private static let form = "application/x-www-form-urlencoded"
    private let account = AccountName("ada+tasks@example.org").unsafelyPresent

    private func bytes(_ bytes: [UInt8]) throws -> SecretBytes {
        unsafe try SecretBytes(copying: bytes.span.bytes)
    }

    @Test("to sign in is a form that preserves every byte")
    func signIn() throws {
        try ScriptedServer.run { (server, client, _) throws in
            _ = try client.signIn(
                account, password: try secret("a+b&c=d%\0 é😀~"), continuing: nil)
            _ = try client.signIn(
                account, password: try bytes(Array(0...255)), continuing: nil)
            let head =
                "grant_type=password&client_id=a%20client%26&username=ada%2Btasks%40example.org"
            let all = (0...255).map { (byte: Int) in
                let letter = Unicode.Scalar(UInt8(byte))
                let isPlain =
                    byte < 128 && letter.properties.isAlphabetic || (48...57).contains(byte)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
                return isPlain
                    ? String(letter) : "%" + String(format: "%02X", byte)
            }.joined()
            #expect(
                server.requests.map(\.text) == [
                    head + "&password=a%2Bb%26c%3Dd%25%00%20%C3%A9%F0%9F%98%80%7E",
                    head + "&password=" + all,
                ])
            #expect(server.requests.allSatisfy { $0.method == "POST" })
            #expect(server.requests.allSatisfy { $0.contentType == Self.form })
            #expect(server.requests.allSatisfy { $0.authorization == nil })
        }
    }

    @Test("to sign in as a known device has its token, and the answer a new one")
    func device() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(
                ScriptedServer.token,
                Answer(200, #"{"access_token":"a","token_type":"Bearer","device_token":"tvd_2"}"#))
            let tokens = try client.signIn(
                account, password: try secret("p"), device: .some(try secret("tvd_1")))
            #expect(
                try #require(server.requests.last?.text).hasSuffix("&password=p&device_token=tvd_1")
            )
            let device =
                switch tokens.device {
                case .some(let token): text(token)
                case .none: ""
                }
            #expect(device == "tvd_2")
            // A foreign server may mean something else by the name.
            server.answer(
                ScriptedServer.token,
                Answer(200, #"{"access_token":"a","token_type":"Bearer","device_token":{"a":1}}"#))
            #expect(try client.signIn().0.access == "a")
        }
    }

    @Test("for new tokens and to end a session is a form")
    func tokens() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer("/oauth/revoke", Answer(200))
            _ = try client.refresh(try secret("tvr_a-b/c+d="))
            try client.revoke(try secret("tvr_a-b/c+d="))
            #expect(
                server.requests.map(\.text) == [
                    "grant_type=refresh_token&client_id=a%20client%26&refresh_token=tvr_a-b%2Fc%2Bd%3D",
                    "client_id=a%20client%26&token=tvr_a-b%2Fc%2Bd%3D",
                ])
            #expect(server.requests.map(\.path) == ["/oauth/token", "/oauth/revoke"])
        }
    }

    @Test(
        "names the scope at a sign-in, and proves this client by the method that the server takes")
    func confidential() throws {
        try ScriptedServer.run { (server, _, origin) throws in
            server.answer("/oauth/revoke", Answer(200))
            let clientSecret = try #require(ClientSecret(try secret("s: +")))
            func ask(_ methods: String) throws -> [ScriptedServer.Note] {
                server.answer(
                    ScriptedServer.description,
                    Answer(
                        200,
                        "{\"token_endpoint_auth_methods_supported\":[\(methods)],"
                            + ScriptedServer.describing(origin).dropFirst()))
                let client = OAuthClient(
                    try makeIssuer(origin), clientID: "a client&", secret: clientSecret,
                    scope: "account mail", try HTTPClient())
                let before = server.requests.count
                _ = try client.signIn()
                _ = try client.refresh(try secret("r"))
                try client.revoke(try secret("r"))
                return Array(server.requests[before...])
            }
            let basic = try ask("\"none\",\"client_secret_basic\",\"client_secret_post\"")
            // The name and the secret are escaped, and then encoded.
            let pair = Data("a%20client%26:s%3A%20%2B".utf8).base64EncodedString()
            #expect(basic.allSatisfy { $0.authorization == "Basic \(pair)" })
            #expect(
                basic.map(\.text) == [
                    "grant_type=password&username=ada%40example.org&scope=account%20mail&password=secret",
                    "grant_type=refresh_token&refresh_token=r", "token=r",
                ])
            let post = try ask("\"client_secret_post\"")
            #expect(post.allSatisfy { $0.authorization == nil })
            #expect(
                post.allSatisfy {
                    $0.text.contains("client_id=a%20client%26&")
                        && $0.text.hasSuffix("&client_secret=s%3A%20%2B")
                })
        }
    }

    @Test("names this machine and the session of a cached password, at TaskVault's own server only")
    func continued() throws {
        try ScriptedServer.run { (server, _, origin) throws in
            server.answer(
                ScriptedServer.token,
                Answer(
                    200,
                    #"{"access_token":"a","token_type":"Bearer","taskvault_session":"5e55"}"#))
            for isOwn in [true, false] {
                if !isOwn {
                    server.answer(
                        ScriptedServer.description,
                        Answer(
                            200,
                            "{\"issuer\":\"\(origin)\",\"token_endpoint\":\"\(origin)/oauth/token\"}"
                        ))
                }
                let client = OAuthClient(
                    try makeIssuer(origin), deviceName: "laptop", try HTTPClient())
                let session = try client.signIn(
                    account, password: try secret("p"), continuing: nil
                ).session
                #expect(session == "5e55")
                _ = try client.signIn(account, password: try secret("p"), continuing: session)
                let text = try #require(server.requests.last).text
                #expect(text.contains("&device_name=laptop&taskvault_session=5e55&") == isOwn)
                #expect(text.contains("5e55") == isOwn)
            }
        }
    }

    @Test("for another password is JSON that preserves every character")
    func changePassword() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(
                "/account/password",
                Answer(200, #"{"access_token":"a2","token_type":"Bearer","refresh_token":"r2"}"#))
            let all = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
            let tokens = try client.changePassword(
                try secret("tva_1"), from: try secret("a\"b\\c\0\u{1F}\u{7F}/"),
                to: try secret(all + "😀"))
            #expect(tokens.texts == Grant(access: "a2", refresh: "r2"))
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.path == "/account/password")
            #expect(request.authorization == "Bearer tva_1")
            #expect(request.contentType == "application/json")
            #expect(
                request.text.hasPrefix(
                    #"{"current_password":"a\"b\\c\u0000\u001F"# + "\u{7F}/"
                        + #"","new_password":""#))
            let read = try JSONSerialization.jsonObject(with: Data(request.body))
            let members = try #require(read as? [String: String])
            #expect(members["new_password"] == all + "😀")
            #expect(members.count == 2)
        }
    }

    @Test("for an account is JSON, with the invitation if there is one")
    func accounts() throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer("/account") { note in
                note.method == "POST"
                    ? Answer(201, "{}")
                    : Answer(
                        200,
                        #"{"id":"1","email":"Ada@example.org","created":"2026-01-01T00:00:00Z"}"#)
            }
            server.answer("/account/remove", Answer(204))
            try client.createAccount(account, password: try secret("p"), invitation: nil)
            try client.createAccount(
                account, password: try secret("p"), invitation: .some(try secret("tvi_1")))
            let details = try client.account(try secret("tva_1"))
            #expect(
                details == AccountDetails(name: "Ada@example.org", created: "2026-01-01T00:00:00Z"))
            try client.removeAccount(try secret("tva_1"), password: try secret("p"))
            #expect(
                server.requests.map(\.text) == [
                    #"{"email":"ada+tasks@example.org","password":"p"}"#,
                    #"{"email":"ada+tasks@example.org","password":"p","invitation":"tvi_1"}"#,
                    "", #"{"current_password":"p"}"#,
                ])
            #expect(server.requests.map(\.method) == ["POST", "POST", "GET", "POST"])
            #expect(
                server.requests.map(\.authorization) == [nil, nil, "Bearer tva_1", "Bearer tva_1"])
        }
    }

    @Test("for an account is unsupported by other servers")
    func unsupported() throws {
        try ScriptedServer.run { (server, client, origin) throws in
            server.answer(
                ScriptedServer.description,
                Answer(
                    200, "{\"issuer\":\"\(origin)\",\"token_endpoint\":\"\(origin)/oauth/token\"}"))
            for call in AccountCall.allCases { #expect(call.error(client) == .unsupported) }
            #expect(server.requests.isEmpty)
        }
    }
}

/// The calls other than a sign-in.
enum AccountCall: CaseIterable {
    case revoke, details, create, change, remove

    /// The error of the call.
    func error(_ client: OAuthClient) -> SignInError? {
        do {
            let token = try secret("token-Kx9")
            let password = try secret("password-Jw4")
            switch self {
            case .revoke: try client.revoke(token)
            case .details: _ = try client.account(token)
            case .create:
                try client.createAccount(
                    AccountName("ada@example.org").unsafelyPresent, password: password,
                    invitation: .some(try secret("invitation-Qp2")))
            case .change:
                _ = try client.changePassword(
                    token, from: password, to: try secret("password-Lz8"))
            case .remove: try client.removeAccount(token, password: password)
            }
            return nil
        } catch {
            return error as? SignInError
        }
    }
}
