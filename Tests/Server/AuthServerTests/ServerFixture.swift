import Accounts
import Database
@testable import AuthServer
import Foundation
import HTTPServer
import Sealing
import Synchronization
import Testing
import TestSupport
import TextCoding

/// A server with accounts in memory, a manual clock, and no network.
final class ServerFixture: Sendable {
    static let password = "correct horse"
    static let clientSecret = "the secret of billing"

    let server: AuthServer
    let repository: AccountRepository
    /// The failures of its transactions.
    let failures = WriteFailures()
    let administration: AccountAdministration
    let pseudonyms: PseudonymKey
    private static let start = PointInTime(milliseconds: 1_800_000_000_000)
    private let time = Mutex(start)
    private let lines = Mutex<[String]>([])

    init(
        registrationIsOpen: Bool = false, readsAtOnce: Bool = true,
        metricsClients: [AddressNetwork] = [],
        guessing: GuessLimits = GuessLimits(), pushing: PushLimits = PushLimits(),
        syncing: SyncLimits = SyncLimits(),
        clients: [RegisteredClient] = [], at place: DatabasePlace = .memory
    ) throws {
        var rules = AccountRules()
        rules.passwordCost = KeyDerivationCost(passes: 1, memoryKiB: 8)
        rules.registrationIsOpen = registrationIsOpen
        rules.guessing = guessing
        rules.pushing = pushing
        rules.syncing = syncing
        repository = try AccountRepository.openOrCreate(
            place, failures.options(AccountRepository.standardOptions))
        let hashing = Argon2idHashing(limits: .testing)
        pseudonyms = try AccountFixture.pseudonyms()
        administration = AccountAdministration(
            repository: repository, rules: rules, pseudonyms: pseudonyms, hashing: hashing)
        // The closures of the server need the fixture, which does not exist yet.
        let later = Later()
        server = try AuthServer(
            AuthServerOptions(
                issuer: "https://auth.example.org",
                clients: [
                    RegisteredClient(name: "billing", secret: TokenHash(of: Self.clientSecret))
                ] + clients,
                metricsClients: metricsClients, readsAtOnce: readsAtOnce, storesInThread: false),
            repository: repository, rules: rules, pseudonyms: pseudonyms, hashing: hashing,
            now: { later.fixture.withLock { $0?.now } ?? Self.start },
            writeLog: { line in
                let text = String(decoding: line, as: UTF8.self)
                later.fixture.withLock { $0 }?.lines.withLock { $0.append(text) }
            })
        later.fixture.withLock { $0 = self }
    }

    private final class Later: Sendable {
        let fixture = Mutex<ServerFixture?>(nil)
    }

    /// The time of the server.
    var now: PointInTime { time.withLock { $0 } }

    /// Advances the clock.
    func wait(_ duration: Duration) {
        time.withLock { $0 = $0.advanced(by: duration) }
    }

    /// The lines of the log.
    var log: [String] { lines.withLock { $0 } }

    /// Makes an account.
    func makeAccount(_ email: String = "ada@example.org") throws {
        let name = try #require(EmailAddress(email))
        let code = try administration.invite(name, at: now).code
        let answer = send(
            .json("/account", ["email": email, "password": Self.password, "invitation": code]))
        try #require(answer.status == 201)
    }

    /// Signs in.
    func signIn(
        _ email: String = "ada@example.org", _ password: String = ServerFixture.password,
        from client: ClientAddress = .loopback, device: String? = nil
    ) -> HTTPResponse {
        var fields = [
            "grant_type": "password", "client_id": "taskvault", "username": email,
            "password": password,
        ]
        fields["device_token"] = device
        return send(.form("/oauth/token", fields, client: client))
    }

    /// An address.
    static func client(_ text: String) -> ClientAddress {
        ClientAddress(text: text, network: text)
    }

    /// Exchanges a refresh token.
    func refresh(_ token: String) -> HTTPResponse {
        send(
            .form(
                "/oauth/token",
                ["grant_type": "refresh_token", "client_id": "taskvault", "refresh_token": token]))
    }

    /// Introspects a token.
    func introspect(_ token: String) throws -> [String: any Sendable] {
        let answer = send(.form("/oauth/introspect", ["token": token], secret: Self.clientSecret))
        try #require(answer.status == 200)
        return try answer.object
    }

    /// Sends a request, and runs its work on all lanes until the answer.
    func send(_ request: HTTPRequest) -> HTTPResponse {
        var answer = server.answer(request)
        while true {
            switch answer {
            case .now(let response):
                server.didAnswer(
                    HTTPExchange(
                        request: request, status: response.status, duration: .milliseconds(1)))
                return response
            case .later(_, _, let work, _): answer = work()
            case .deferred(let body):
                let pending = PendingAnswer(request, self)
                body(pending.answer)
                guard let response = pending.response else {
                    Issue.record("the answer waits")
                    return HTTPResponse(status: 599)
                }
                return response
            }
        }
    }

    /// Sends a request whose answer may wait.
    func begin(_ request: HTTPRequest) -> PendingAnswer {
        let pending = PendingAnswer(request, self)
        var answer = server.answer(request)
        while true {
            switch answer {
            case .now(let response):
                pending.answer.give(response)
                return pending
            case .later(_, _, let work, _): answer = work()
            case .deferred(let body):
                body(pending.answer)
                return pending
            }
        }
    }
}

/// The answer of a request, now or later.
final class PendingAnswer: Sendable {
    private final class Box: Sendable {
        let response = Mutex<HTTPResponse?>(nil)
    }

    let answer: DeferredResponse
    private let box: Box

    init(_ request: HTTPRequest, _ fixture: ServerFixture) {
        let box = Box()
        self.box = box
        answer = DeferredResponse { [weak fixture] response in
            box.response.withLock { $0 = response }
            fixture?.server.didAnswer(
                HTTPExchange(
                    request: request, status: response?.status, duration: .milliseconds(1)))
        }
    }

    /// The answer, if it was given.
    var response: HTTPResponse? { box.response.withLock { $0 } }
}

extension HTTPRequest {
    /// A form, in the order of the names; with `secret` from the confidential client.
    static func form(
        _ path: String, _ fields: [String: String], secret: String? = nil,
        client: ClientAddress = .loopback
    ) -> HTTPRequest {
        let content = fields.sorted { $0.key < $1.key }
            .map { escaped($0.key) + "=" + escaped($0.value) }.joined(separator: "&")
        var headers = HTTPHeaders([
            HTTPHeaders.Field("Content-Type", "application/x-www-form-urlencoded")
        ])
        if let secret {
            let credentials = Data("billing:\(escaped(secret))".utf8).base64EncodedString()
            headers.append("Authorization", "Basic " + credentials)
        }
        return HTTPRequest(
            method: "POST", path: path, headers: headers, body: RequestBody(Array(content.utf8)),
            client: client, id: "0123456789abcdef")
    }

    /// An object.
    static func json(
        _ path: String, _ members: [String: String], token: String? = nil
    ) -> HTTPRequest {
        let content = try? JSONEncoder().encode(members)
        var headers = HTTPHeaders([HTTPHeaders.Field("Content-Type", "application/json")])
        if let token { headers.append("Authorization", "Bearer " + token) }
        return HTTPRequest(
            method: "POST", path: path, headers: headers,
            body: RequestBody(Array(content ?? Data())),
            id: "0123456789abcdef")
    }

    /// A request without content.
    static func get(
        _ path: String, _ fields: [HTTPHeaders.Field] = [], method: String = "GET",
        client: ClientAddress = .loopback
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, headers: HTTPHeaders(fields), client: client,
            id: "0123456789abcdef")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            isalnum(Int32(byte)) != 0
                ? String(UnicodeScalar(byte)) : String(format: "%%%02X", Int(byte))
        }.joined()
    }
}

extension HTTPResponse {
    /// The content as an object.
    var object: [String: any Sendable] {
        get throws {
            try #require(
                JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable])
        }
    }

    /// A string of the object.
    func text(_ name: String) throws -> String {
        try #require(object[name] as? String)
    }

    /// The value of a header field.
    func field(_ name: String) -> String? { headers.values(name).first }
}
