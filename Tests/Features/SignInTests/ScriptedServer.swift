import HTTPClient
import HTTPServer
import SignIn
import Synchronization
import Testing

/// An answer of a scripted server.
struct Answer: Sendable {
    var status = 200
    var body: [UInt8] = []
    var headers: [String: String] = ["Content-Type": "application/json"]

    init(_ status: Int = 200, _ body: String = "", headers: [String: String] = [:]) {
        self.init(status, bytes: Array(body.utf8), headers: headers)
    }

    init(_ status: Int = 200, bytes: [UInt8], headers: [String: String] = [:]) {
        self.status = status
        body = bytes
        self.headers.merge(headers) { $1 }
    }
}

/// A server on this machine that answers each path by a script, and records the requests.
final class ScriptedServer: HTTPHandler {
    /// A request.
    struct Note: Sendable, Equatable {
        let method: String
        let path: String
        let body: [UInt8]
        let contentType: String?
        let authorization: String?

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private struct State {
        var answers: [String: @Sendable (Note) -> Answer] = [:]
        var notes: [Note] = []
    }

    static let description = "/.well-known/oauth-authorization-server"
    static let token = "/oauth/token"

    private let state = Mutex(State())

    /// Runs `body` with a client, and a server that describes itself like TaskVault's.
    static func run(
        path: String = "", limit: Int = 262_144,
        _ body: (ScriptedServer, OAuthClient, String) throws -> Void
    ) throws {
        let handler = ScriptedServer()
        let server = try HTTPServer(HTTPServerOptions(), handler)
        defer { server.stop(within: .zero) }
        let origin = "http://127.0.0.1:\(server.port)"
        handler.answer(Self.description + path, .init(200, describing(origin, path: path)))
        handler.answer(
            Self.token,
            .init(
                200, #"{"access_token":"a1","token_type":"Bearer","refresh_token":"r1"}"#))
        let client = OAuthClient(
            try makeIssuer(origin + path), clientID: "a client&",
            try HTTPClient(
                HTTPClientOptions(timeout: .seconds(120), maximumContentSize: limit)))
        try body(handler, client, origin)
    }

    static func describing(_ origin: String, path: String = "") -> String {
        """
        {"issuer":"\(origin)\(path)","token_endpoint":"\(origin)/oauth/token",
        "revocation_endpoint":"\(origin)/oauth/revoke","grant_types_supported":["password","refresh_token"],
        "taskvault_account_endpoint":"\(origin)/account","more":[{"a":[null,true,1.5e3,"\\u00e9"]}]}
        """
    }

    var notes: [Note] { state.withLock { $0.notes } }
    /// The requests without those for a description.
    var requests: [Note] { notes.filter { !$0.path.contains("/.well-known/") } }

    func answer(_ path: String, _ answer: Answer) {
        self.answer(path) { _ in answer }
    }

    func answer(_ path: String, _ body: @escaping @Sendable (Note) -> Answer) {
        state.withLock { $0.answers[path] = body }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let note = Note(
            method: request.method, path: request.path,
            body: request.body.withBytes { bytes in (0..<bytes.byteCount).map { bytes[$0] } },
            contentType: request.headers.values("Content-Type").first,
            authorization: request.headers.values("Authorization").first)
        let answer = state.withLock { state in
            state.notes.append(note)
            return state.answers[request.path]
        }
        let given = answer?(note) ?? Answer(404)
        return .now(
            HTTPResponse(
                status: given.status,
                headers: HTTPHeaders(given.headers.map { HTTPHeaders.Field($0, $1) }),
                body: given.body))
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status)
    }

    func didAnswer(_ exchange: HTTPExchange) {}
}

extension OAuthClient {
    func signIn(_ password: String = "secret") throws -> (Grant, UInt32?) {
        let tokens = try signIn(
            AccountName("ada@example.org").unsafelyPresent, password: try secret(password),
            continuing: nil)
        return (tokens.texts, tokens.lifetime)
    }

    /// The error of a sign-in.
    func refusal() -> SignInError? {
        do {
            _ = try signIn()
            return nil
        } catch {
            return error as? SignInError
        }
    }
}

extension GrantedTokens {
    var texts: Grant {
        switch refresh {
        case .some(let refresh): Grant(access: text(access), refresh: text(refresh))
        case .none: Grant(access: text(access), refresh: "")
        }
    }
}
