import HTTPClient
import Platform
import SecretMemory
import Synchronization
import Testing
import TextCoding

@testable import SignIn

@Suite("A sign-in on another device")
struct DeviceSignInTests {
    /// A clock that moves when its user sleeps.
    private final class SleepClock: Sendable {
        private let state = Mutex((time: Int64(0), sleeps: [Int64]()))

        var now: MonotonicTime {
            MonotonicTime(nanoseconds: state.withLock { $0.time } * 1_000_000_000)
        }
        /// The seconds of each sleep.
        var sleeps: [Int64] { state.withLock { $0.sleeps } }

        func sleep(_ time: Duration) {
            state.withLock { state in
                state.time += time.components.seconds
                state.sleeps.append(time.components.seconds)
            }
        }
    }

    private static let codes =
        #""device_code":"d+1","user_code":"WDJB-MJHT","verification_uri":"https://auth.example.org/device""#
    private static let pending = Answer(400, #"{"error":"authorization_pending"}"#)

    /// Runs `body` with a server of the device grant that answers the questions in turn, the last
    /// answer again and again.
    private func run(
        _ answers: [Answer], _ granted: String = codes + #","expires_in":600"#,
        _ body: (ScriptedServer, OAuthClient, SleepClock) throws -> Void
    ) throws {
        try ScriptedServer.run { (server, _, origin) throws in
            server.answer(
                ScriptedServer.description,
                Answer(
                    200,
                    """
                    {"issuer":"\(origin)","token_endpoint":"\(origin)/oauth/token",
                    "device_authorization_endpoint":"\(origin)/device",
                    "scopes_supported":["openid"]}
                    """))
            server.answer("/device", Answer(200, "{\(granted)}"))
            let rest = Mutex(answers)
            server.answer(ScriptedServer.token) { _ in
                rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            }
            try body(
                server, OAuthClient(try makeIssuer(origin), try HTTPClient()), SleepClock())
        }
    }

    private func begin(_ client: OAuthClient, _ clock: SleepClock) throws -> DeviceSignIn {
        try DeviceSignIn(client, now: { clock.now }, sleep: { clock.sleep($0) })
    }

    /// The outcome of a wait; nil if the person needs more time.
    private func outcome(
        _ signIn: DeviceSignIn, atMost time: Duration = .seconds(3_600)
    ) -> Result<Grant?, SignInError> {
        do {
            switch try signIn.wait(atMost: time) {
            case .some(let tokens): return .success(tokens.texts)
            case .none: return .success(nil)
            }
        } catch {
            return .failure(error as? SignInError ?? .busy)
        }
    }

    private static let tokens = Answer(
        200, #"{"access_token":"a1","token_type":"Bearer","refresh_token":"r1"}"#)
    private static let grant = Grant(access: "a1", refresh: "r1")

    @Test("shows the code and the page, and asks at the server's interval until the person is done")
    func whole() throws {
        let complete = #","verification_uri_complete":"https://auth.example.org/device?c=1""#
        try run(
            [Self.pending, Self.pending, Self.tokens],
            Self.codes + #","expires_in":600,"interval":7"# + complete
        ) { (server, client, clock) throws in
            let signIn = try begin(client, clock)
            #expect(signIn.code == "WDJB-MJHT")
            #expect(signIn.address == "https://auth.example.org/device")
            #expect(signIn.completeAddress == "https://auth.example.org/device?c=1")
            #expect(outcome(signIn) == .success(Self.grant))
            #expect(clock.sleeps == [7, 7, 7])
            let sent = server.requests.map(\.text)
            #expect(sent[0] == "scope=openid&client_id=taskvault")
            #expect(
                Set(sent.dropFirst()) == [
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&client_id=taskvault&device_code=d%2B1"
                ])
        }
    }

    @Test("asks 5 seconds less often after each slow_down, and every 5 seconds by default")
    func slowDown() throws {
        let slow = Answer(400, #"{"error":"slow_down"}"#)
        try run([Self.pending, slow, Self.pending, slow, Self.tokens]) {
            (_, client, clock) throws in
            #expect(outcome(try begin(client, clock)) == .success(Self.grant))
            #expect(clock.sleeps == [5, 5, 10, 10, 15])
        }
    }

    @Test("asks less often if the server cannot be reached, and goes on")
    func backoff() throws {
        let gone = Answer(502, "<html>")
        let limited = Answer(429, headers: ["Retry-After": "30"])
        try run([gone, gone, limited, Self.pending, Self.tokens]) { (_, client, clock) throws in
            #expect(outcome(try begin(client, clock)) == .success(Self.grant))
            #expect(clock.sleeps == [5, 10, 20, 30, 30])
        }
        try run([gone]) { (_, client, clock) throws in
            #expect(outcome(try begin(client, clock)) == .failure(.notCompleted))
            #expect(clock.sleeps.max() == 60 && clock.sleeps.reduce(0, +) == 600)
        }
    }

    @Test("goes on after an answer of a gateway, less often")
    func gateway() throws {
        for answer in [
            Answer(403, "<html>"), Answer(403, #"{"error":"Forbidden"}"#), Answer(404),
            Answer(302, headers: ["Location": "https://portal.example.org/"]),
        ] {
            try run([answer, answer, Self.pending, Self.tokens]) { (_, client, clock) throws in
                #expect(outcome(try begin(client, clock)) == .success(Self.grant))
                #expect(clock.sleeps == [5, 10, 20, 20])
            }
        }
    }

    @Test("ends with the person's refusal, and with the codes")
    func ended() throws {
        for (answer, expected) in [
            (Answer(400, #"{"error":"access_denied"}"#), SignInError.denied),
            (Answer(400, #"{"error":"expired_token"}"#), .notCompleted),
            (
                Answer(400, #"{"error":"invalid_grant"}"#),
                .refused(.other(detail: "the sign-in is no longer valid"))
            ),
            (Answer(400, #"{"error":"unsupported_grant_type"}"#), .unsupported),
            (Answer(200, "<html>"), .broken(detail: "its answer is not OAuth")),
        ] {
            try run([Self.pending, answer]) { (server, client, clock) throws in
                #expect(outcome(try begin(client, clock)) == .failure(expected))
                #expect(server.requests.count == 3)
            }
        }
        try run([Self.pending], Self.codes + #","expires_in":12"#) {
            (server, client, clock) throws in
            #expect(outcome(try begin(client, clock)) == .failure(.notCompleted))
            #expect(clock.sleeps == [5, 5, 2])
            #expect(server.requests.count == 3)
        }
    }

    @Test("can be waited for in parts")
    func parts() throws {
        try run([Self.pending, Self.tokens]) { (_, client, clock) throws in
            let signIn = try begin(client, clock)
            #expect(outcome(signIn, atMost: .seconds(3)) == .success(nil))
            #expect(outcome(signIn, atMost: .seconds(3)) == .success(nil))
            #expect(outcome(signIn, atMost: .seconds(6)) == .success(Self.grant))
            #expect(clock.sleeps == [3, 2, 1, 4])
        }
    }

    @Test("takes the address by Google's name, and escapes a code that steers a terminal")
    func others() throws {
        try run(
            [Self.tokens],
            #""device_code":"d","user_code":"A\u001b[31mB","verification_url":"https://a.example.org/d","expires_in":"9.5""#
        ) { (_, client, clock) throws in
            let signIn = try begin(client, clock)
            #expect(signIn.code == #"A\u{1B}[31mB"#)
            #expect(signIn.address == "https://a.example.org/d")
            #expect(signIn.completeAddress == signIn.address)
        }
    }

    @Test(
        "needs a valid answer of the server",
        arguments: [
            "", codes, #""expires_in":600"#,
            #""device_code":"d","user_code":"","verification_uri":"https://a.example.org/","expires_in":1"#,
            #""device_code":"","user_code":"A","verification_uri":"https://a.example.org/","expires_in":1"#,
            #""device_code":"d","user_code":"A","verification_uri":"http://a.example.org/","expires_in":1"#,
            #""device_code":"d","user_code":"A","verification_uri":"javascript:1","expires_in":1"#,
            #""device_code":"d","user_code":"\#(String(repeating: "A", count: 65))","verification_uri":"https://a.example.org/","expires_in":1"#,
        ])
    func invalid(content: String) throws {
        try run([Self.tokens], content) { (server, client, clock) throws in
            #expect(
                throws: SignInError.broken(detail: "its answer is not that of the device grant")
            ) { try begin(client, clock) }
            #expect(server.requests.count == 1)
        }
    }

    @Test("is not there if the server does not know this program, or has no such grant")
    func refused() throws {
        try run([Self.tokens]) { (server, client, clock) throws in
            server.answer("/device", Answer(401, #"{"error":"invalid_client"}"#))
            #expect(
                throws: SignInError.refused(
                    .other(detail: "the server does not know this client"))
            ) { try begin(client, clock) }
        }
        try ScriptedServer.run { (_, client, _) throws in
            #expect(throws: SignInError.unsupported) { try begin(client, SleepClock()) }
        }
    }
}
