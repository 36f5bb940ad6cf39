import HTTPClient
import SignIn
import Testing

@Suite("The description of an OAuth server")
struct ServerDescriptionTests {
    static let broken: [[UInt8]] =
        [
            "", "<html>", "[]", "null", "\"text\"", "{}", "{\"issuer\":1}",
            "{\"issuer\":\"ORIGIN\"}",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/a\",\"issuer\":\"ORIGIN\"}",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"no address\"}",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/oauth/token\"",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/oauth/token\"} {}",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/oauth/\\uD800\"}",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/oauth/token\",\"a\":\(deep("]"))",
            "{\"issuer\":\"ORIGIN\",\"token_endpoint\":\"ORIGIN/oauth/token\",\(members(300))}",
        ].map { Array($0.utf8) } + [[0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]]

    static func deep(_ end: String, _ count: Int = 10_000) -> String {
        String(repeating: "[", count: count) + String(repeating: end, count: count - 1)
    }

    static func members(_ count: Int) -> String {
        (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",")
    }

    @Test("is requested once, at the address of RFC 8414", arguments: ["", "/tenant/one"])
    func once(path: String) throws {
        try ScriptedServer.run(path: path) { (server, client, _) throws in
            for _ in 0..<3 { _ = try client.signIn() }
            let paths = server.notes.map(\.path)
            #expect(
                paths == [ScriptedServer.description + path]
                    + Array(repeating: ScriptedServer.token, count: 3))
            #expect(server.notes[0].method == "GET" && server.notes[0].body.isEmpty)
            #expect(server.notes.allSatisfy { $0.authorization == nil })
        }
    }

    @Test("is that of OpenID if the server has none of OAuth")
    func openID() throws {
        try ScriptedServer.run(path: "/realm") { (server, client, origin) throws in
            server.answer(ScriptedServer.description + "/realm", Answer(404))
            server.answer(
                "/realm/.well-known/openid-configuration",
                Answer(200, ScriptedServer.describing(origin, path: "/realm")))
            _ = try client.signIn()
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "may spell the issuer differently, and may have deeply nested members",
        arguments: ["", "/", "/tenant", "/tenant/"])
    func spelling(path: String) throws {
        let own = path.isEmpty || path == "/" ? "" : "/tenant"
        try ScriptedServer.run(path: own) { (server, client, origin) throws in
            let capital = origin.replacing("http", with: "HTTP")
            server.answer(
                ScriptedServer.description + own,
                Answer(
                    200,
                    "{\"issuer\":\"\(capital)\(path)\",\"token_endpoint\":\"\(origin)/oauth/token\",\"a\":\(Self.deep("]", 500))]}"
                ))
            _ = try client.signIn()
        }
    }

    @Test(
        "of another issuer is refused",
        arguments: [
            "https://other.example.org", "ORIGIN/path", "ORIGIN1", "ORIGIN?", "ORIGIN?a=b", "",
            "http://localhost", "ORIGIN/%2F", "ORIGIN#a", "ftp://127.0.0.1",
        ])
    func otherIssuer(issuer: String) throws {
        try ScriptedServer.run { (server, client, origin) throws in
            let named = issuer.replacing("ORIGIN", with: origin)
            server.answer(
                ScriptedServer.description,
                Answer(
                    200, "{\"issuer\":\"\(named)\",\"token_endpoint\":\"\(origin)/oauth/token\"}"))
            #expect(
                client.refusal() == .untrusted(detail: "it claims to be another server"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "with addresses of another server is refused",
        arguments: ["token_endpoint", "revocation_endpoint", "taskvault_account_endpoint"],
        [
            "https://127.0.0.1/", "http://127.0.0.1:1/", "http://localhost/",
            "https://auth.example.org/oauth/token",
        ])
    func otherServer(member: String, address: String) throws {
        try ScriptedServer.run { (server, client, origin) throws in
            var endpoints = ["token_endpoint": origin + "/oauth/token"]
            endpoints[member] = address
            let members = endpoints.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
            server.answer(
                ScriptedServer.description, Answer(200, "{\"issuer\":\"\(origin)\",\(members)}"))
            guard case .untrusted(let detail, byCertificate: false) = client.refusal() else {
                Issue.record("it was followed")
                return
            }
            #expect(detail.hasPrefix("it sends clients to another server"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("without the password grant is unsupported, unless it lists no grants")
    func grants() throws {
        for (grants, isSupported) in [
            ("\"grant_types_supported\":[\"authorization_code\"],", false),
            ("\"grant_types_supported\":[],", false),
            ("\"grant_types_supported\":[\"implicit\",\"password\"],", true), ("", true),
        ] {
            try ScriptedServer.run { (server, client, origin) throws in
                server.answer(
                    ScriptedServer.description,
                    Answer(
                        200,
                        "{\(grants)\"issuer\":\"\(origin)\",\"token_endpoint\":\"\(origin)/oauth/token\"}"
                    ))
                #expect(client.refusal() == (isSupported ? nil : .unsupported))
                #expect(server.requests.isEmpty == !isSupported)
            }
        }
    }

    @Test("that is invalid is an error, and the server gets no request", arguments: broken)
    func none(content: [UInt8]) throws {
        try ScriptedServer.run { (server, client, origin) throws in
            let text = String(decoding: content, as: UTF8.self)
            server.answer(
                ScriptedServer.description,
                text.contains("ORIGIN")
                    ? Answer(200, text.replacing("ORIGIN", with: origin))
                    : Answer(200, bytes: content))
            let error = client.refusal()
            switch error {
            case .untrusted, .unreachable: break
            default: Issue.record("\(String(describing: error))")
            }
            #expect(error?.mayHaveSucceeded == false)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that names no issuer is a proxy's, so the server is not reached",
        arguments: ["", "<html>", "[]", "null", "{}", #"{"error":"Forbidden"}"#])
    func proxy(content: String) throws {
        try ScriptedServer.run { (server, client, _) throws in
            server.answer(ScriptedServer.description, Answer(200, content))
            let error = client.refusal()
            #expect(
                error
                    == .unreachable(detail: "its description is not OAuth", mayHaveArrived: false))
            #expect(error?.isOffline == true)
        }
    }

    @Test("that is too large is not read to its end")
    func huge() throws {
        try ScriptedServer.run(limit: 10_000) { (server, client, _) throws in
            server.answer(
                ScriptedServer.description,
                Answer(200, "{\"a\":\"" + String(repeating: "a", count: 1_000_000) + "\"}"))
            guard case .unreachable(_, mayHaveArrived: false) = client.refusal() else {
                Issue.record("it was read")
                return
            }
        }
    }

    @Test("that is missing is an error, and the server gets no request")
    func status() throws {
        let answers: [(Answer, SignInError)] = [
            (
                Answer(404),
                .unreachable(
                    detail: "there is no OAuth server at this address (status 404)",
                    mayHaveArrived: false)
            ),
            (
                Answer(403, "<html>"),
                .unreachable(
                    detail: "there is no OAuth server at this address (status 403)",
                    mayHaveArrived: false)
            ),
            (
                Answer(400, "{\"error\":\"invalid_grant\"}"),
                .unreachable(
                    detail: "there is no OAuth server at this address (status 400)",
                    mayHaveArrived: false)
            ),
            (
                Answer(302, headers: ["Location": "https://other.example.org/x"]),
                .unreachable(
                    detail: "it redirects clients to other.example.org", mayHaveArrived: false)
            ),
            (
                Answer(502),
                .unreachable(
                    detail: "the server cannot answer now (status 502)", mayHaveArrived: false)
            ),
            (
                Answer(503, headers: ["Retry-After": "7"]),
                .unreachable(
                    detail: "the server cannot answer now (status 503); try again in 7s",
                    mayHaveArrived: false)
            ),
            (Answer(429), .throttled(seconds: nil)),
        ]
        for (answer, expected) in answers {
            try ScriptedServer.run { (server, client, _) throws in
                server.answer(ScriptedServer.description, answer)
                #expect(client.refusal() == expected)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test("is requested again after a failure")
    func again() throws {
        try ScriptedServer.run { (server, client, origin) throws in
            server.answer(ScriptedServer.description, Answer(503))
            #expect(client.refusal()?.isOffline == true)
            server.answer(
                ScriptedServer.description, Answer(200, ScriptedServer.describing(origin)))
            #expect(client.refusal() == nil)
        }
    }
}

@Suite("An issuer")
struct IssuerTests {
    @Test(
        "has one spelling",
        arguments: [
            ("HTTPS://Auth.Example.org:443/", "https://auth.example.org"),
            ("https://auth.example.org/a/", "https://auth.example.org/a"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ])
    func spelling(address: String, text: String) throws {
        #expect(try makeIssuer(address).text == text)
        #expect(try makeIssuer(address) == makeIssuer(text))
        #expect(Set([try makeIssuer(address), try makeIssuer(text)]).count == 1)
    }

    @Test("has no query, is not too long, and is plain HTTP on this machine only")
    func refused() throws {
        for address in [
            "https://auth.example.org/?a", "http://auth.example.org",
            "https://auth.example.org/" + String(repeating: "a", count: 500),
        ] {
            #expect(Issuer(try WebURL(address)) == nil)
        }
    }
}
