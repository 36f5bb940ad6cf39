import HTTPClient
import SecretMemory
import Testing

@testable import SignIn

@Suite("An authorization request")
struct AuthorizationRequestTests {
    /// The octets of RFC 7636, appendix B.
    private static let octets: [UInt8] = [
        116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77,
        105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
    ]

    private static let random = RandomSource { span in
        for offset in 0..<span.byteCount {
            span.storeBytes(of: octets[offset], toByteOffset: offset, as: UInt8.self)
        }
    }

    private static func metadata(namesIssuer: Bool = false) throws -> ServerMetadata {
        let issuer = try makeIssuer("https://auth.example.org/")
        let text = """
            {"issuer":"https://auth.example.org/","token_endpoint":"https://auth.example.org/token",
            "authorization_endpoint":"https://auth.example.org/authorize",
            "authorization_response_iss_parameter_supported":\(namesIssuer)}
            """
        let bytes = Array(text.utf8)
        return try ServerMetadata(unsafe bytes.span.bytes, of: issuer)
    }

    @Test("has the challenge of RFC 7636, appendix B")
    func challenge() throws {
        let request = try AuthorizationRequest(Self.random)
        #expect(text(request.verifier) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(request.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("has 128 random bits of its own in the state and in the nonce")
    func fresh() throws {
        let requests = try (0..<3).map { _ in try AuthorizationRequest() }
        let values = requests.flatMap { [$0.state, $0.nonce] }
        #expect(Set(values).count == 6)
        #expect(values.allSatisfy { $0.utf8.count == 22 })
        #expect(Set(requests.map { text($0.verifier) }).count == 3)
    }

    private func code(
        _ query: String, of request: AuthorizationRequest, namesIssuer: Bool = false
    ) throws -> Result<String, SignInError> {
        do {
            let query = query.replacing("STATE", with: request.state)
            return .success(
                text(try request.code(in: query, of: Self.metadata(namesIssuer: namesIssuer))))
        } catch let error as SignInError {
            return .failure(error)
        }
    }

    @Test("takes the code of its own response, with every escape")
    func taken() throws {
        let request = try AuthorizationRequest()
        for (query, expected) in [
            ("code=a1&state=STATE", "a1"), ("state=STATE&code=a%2Bb+c%3D&other=x", "a+b c="),
            ("code=a1&state=STATE&iss=https%3A%2F%2Fauth.example.org%2F", "a1"),
            ("code=a1&state=STATE&scope=openid&session_state=", "a1"),
        ] {
            #expect(try code(query, of: request) == .success(expected))
        }
        #expect(
            try code(
                "code=a&state=STATE&iss=https://auth.example.org/", of: request, namesIssuer: true)
                == .success("a"))
    }

    @Test(
        "refuses a response to another request",
        arguments: [
            "", "code=a1", "code=a1&state=", "code=a1&state=STATEx", "code=a1&state=xSTATE",
            "code=a1&state=STATE&state=STATE", "code=a1&code=a2&state=STATE", "state=STATE&code=%",
            "state=STATE&code=%4", "state=STATE&code=%FF", "error=access_denied",
        ])
    func otherState(query: String) throws {
        let request = try AuthorizationRequest()
        #expect(
            try code(query, of: request)
                == .failure(
                    .untrusted(detail: "the answer of the browser is for another sign-in")))
    }

    @Test("refuses a response of another issuer, also an error, and one without it where promised")
    func otherIssuer() throws {
        let request = try AuthorizationRequest()
        let refusal = Result<String, SignInError>.failure(
            .untrusted(detail: "the answer of the browser is of another server"))
        for issuer in ["https://auth.example.org", "https://evil.example.org/", "", "a"] {
            for part in ["code=a1", "error=access_denied"] {
                #expect(try code("\(part)&state=STATE&iss=\(issuer)", of: request) == refusal)
            }
        }
        #expect(try code("code=a1&state=STATE", of: request, namesIssuer: true) == refusal)
    }

    @Test("knows a refusal of the person from one of the server")
    func errors() throws {
        let request = try AuthorizationRequest()
        for (query, error) in [
            ("error=access_denied", SignInError.denied),
            (
                "error=temporarily_unavailable",
                .unreachable(detail: "the server cannot answer now", mayHaveArrived: true)
            ),
            ("error=invalid_scope", .refused(.other(detail: "error invalid_scope"))),
            (
                "error=invalid_scope&error_description=too+%1B%5B31mmuch",
                .refused(.other(detail: #"too \u{1B}[31mmuch"#))
            ),
            ("code=", .broken(detail: "the answer of the browser has no code")),
            ("other=a", .broken(detail: "the answer of the browser has no code")),
            (
                "code=" + String(repeating: "a", count: 4_097),
                .broken(detail: "the answer of the browser has no code")
            ),
        ] {
            #expect(try code(query + "&state=STATE", of: request) == .failure(error))
        }
    }
}

@Suite("The metadata of a server")
struct ServerMetadataTests {
    private func metadata(
        _ members: String, issuer: String = "https://auth.example.org"
    ) throws -> ServerMetadata {
        let bytes = Array("{\"issuer\":\"\(issuer)\",\(members)}".utf8)
        return try ServerMetadata(unsafe bytes.span.bytes, of: makeIssuer(issuer))
    }

    private static let token = #""token_endpoint":"https://auth.example.org/token""#
    private static let page = #""authorization_endpoint":"https://auth.example.org/a","#
    private static let device = #""device_authorization_endpoint":"https://auth.example.org/d","#

    @Test("selects a page of the server wherever it has one")
    func methods() throws {
        for (members, methods) in [
            ("", [SignInMethod.password]), (Self.page, [.browser]), (Self.device, [.device]),
            (Self.page + Self.device, [.browser, .device]),
            (
                Self.page + #""grant_types_supported":["password","authorization_code"],"#,
                [.browser]
            ),
            (Self.page + #""grant_types_supported":["password"],"#, [.password]),
            (Self.page + #""response_types_supported":["code","token"],"#, [.browser]),
            (Self.page + #""response_types_supported":["token"],"#, [.password]),
            (Self.page + #""code_challenge_methods_supported":["plain"],"#, [.password]),
            (Self.page + #""code_challenge_methods_supported":["plain","S256"],"#, [.browser]),
            (
                Self.page + Self.device + #""grant_types_supported":["implicit"],"#, [.device]
            ),
            (
                Self.page + Self.device
                    + #""taskvault_account_endpoint":"https://auth.example.org/account","#,
                [.password]
            ),
        ] {
            #expect(try metadata(members + Self.token).methods == methods, "\(members)")
        }
        #expect(throws: SignInError.unsupported) {
            try metadata(
                Self.page + #""grant_types_supported":["implicit"],"# + Self.token)
        }
    }

    @Test("asks for the scopes that name the person and let the session last, where offered")
    func scopes() throws {
        let all =
            #""scopes_supported":["profile","offline_access","email","openid","admin"],"#
            + Self.token
        #expect(try metadata(all).scopes == ["openid", "email", "offline_access"])
        #expect(try metadata(Self.token).scopes.isEmpty)
    }

    @Test("may name endpoints of another host over TLS, but not its accounts, and not this machine")
    func elsewhere() throws {
        let other = try metadata(
            Self.page + #""token_endpoint":"https://tokens.example.org/token""#)
        #expect(other.token.host == "tokens.example.org")
        for members in [
            #""token_endpoint":"http://tokens.example.org/token""#,
            #""token_endpoint":"http://auth.example.org/token""#,
            #""token_endpoint":"https://localhost/token""#,
            #""token_endpoint":"https://127.0.0.1/token""#,
            #""revocation_endpoint":"http://auth.example.org/r","# + Self.token,
            #""device_authorization_endpoint":"http://auth.example.org/d","# + Self.token,
            #""taskvault_account_endpoint":"https://other.example.org/account","# + Self.token,
        ] {
            let error = #expect(throws: SignInError.self, "\(members)") { try metadata(members) }
            guard case .untrusted(let detail, byCertificate: false) = error else {
                Issue.record("\(members)")
                continue
            }
            #expect(detail.hasPrefix("it sends clients to another server"))
        }
        // A server of this machine may have several ports.
        let local = try metadata(
            #""token_endpoint":"https://127.0.0.1:2/token""#, issuer: "https://localhost:1")
        #expect(local.token.port == 2)
        #expect(throws: SignInError.self) {
            try metadata(
                #""token_endpoint":"https://localhost:2/token""#, issuer: "http://localhost:1")
        }
    }
}
