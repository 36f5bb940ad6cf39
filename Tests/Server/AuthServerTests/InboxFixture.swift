import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing
import TextCoding

/// An account with an inbox, and requests about it.
struct InboxFixture {
    let server: ServerFixture
    let access: String
    let inbox: String
    let receiving: String
    let acknowledging: String

    init(
        pushing: PushLimits = PushLimits(), readsAtOnce: Bool = true,
        _ email: String = "ada@example.org"
    ) throws {
        try self.init(ServerFixture(readsAtOnce: readsAtOnce, pushing: pushing), email)
    }

    /// Another account, or another inbox of the same one.
    init(_ server: ServerFixture, _ email: String) throws {
        self.server = server
        let name = try #require(EmailAddress(email))
        if try server.repository.read({ try $0.account(name) }) == nil {
            try server.makeAccount(email)
        }
        access = try server.signIn(email).text("access_token")
        let made = server.send(.post("/inboxes", token: access))
        try #require(made.status == 201)
        inbox = try made.text("id")
        receiving = try made.text("receive_token")
        acknowledging = try made.text("acknowledge_token")
    }

    /// Makes a subscription.
    ///
    /// - Returns: Its id, and the path of its URL.
    func subscribe(_ key: String? = nil) throws -> (id: String, path: String) {
        var members = ["inbox": inbox]
        members["vapid_key"] = key
        let made = server.send(.json("/subscriptions", members, token: access))
        try #require(made.status == 201)
        let url = try made.text("endpoint")
        try #require(url.hasPrefix("https://auth.example.org/push/tvp_"))
        return (try made.text("id"), String(url.dropFirst("https://auth.example.org".count)))
    }

    /// Pushes a message.
    @discardableResult
    func push(
        _ path: String, _ body: [UInt8] = [1, 2, 3], _ fields: [String: String?] = [:]
    ) -> HTTPResponse {
        server.send(.push(path, body, fields))
    }

    /// Reads messages at once.
    func receive(after number: Int = 0) -> HTTPResponse {
        server.send(.messages("after=\(number)", token: receiving))
    }

    /// The bodies of the waiting messages.
    func bodies(after number: Int = 0) throws -> [[UInt8]] {
        try receive(after: number).messages().map { message in
            let text = try #require(message["body_base64"] as? String)
            return Array(try #require(Data(base64Encoded: text)))
        }
    }

    /// Waits for messages.
    func poll(after number: Int = 0, seconds: Int = 300) -> PendingAnswer {
        server.begin(.messages("after=\(number)&wait=\(seconds)", token: receiving))
    }

    /// Acknowledges messages.
    func acknowledge(_ ids: [String], _ token: String? = nil) -> HTTPResponse {
        let text = ids.map { "\"\($0)\"" }.joined(separator: ",")
        return server.send(
            .post(
                "/messages/acknowledge", "{\"messages\":[\(text)]}",
                token: token ?? acknowledging))
    }
}

extension HTTPRequest {
    /// A request with content that is said to be JSON.
    static func post(_ path: String, _ content: String = "", token: String? = nil) -> HTTPRequest {
        var headers = HTTPHeaders([HTTPHeaders.Field("Content-Type", "application/json")])
        if let token { headers.append("Authorization", "Bearer " + token) }
        return HTTPRequest(
            method: "POST", path: path, headers: headers, body: RequestBody(Array(content.utf8)),
            id: "0123456789abcdef")
    }

    /// A push. The fields replace those of a usual one; nil removes one.
    static func push(
        _ path: String, _ body: [UInt8] = [1, 2, 3], _ fields: [String: String?] = [:]
    ) -> HTTPRequest {
        let usual: [String: String?] = ["TTL": "60", "Content-Encoding": "aes128gcm"]
        let merged = usual.merging(fields) { $1 }
        var headers = HTTPHeaders()
        for (name, value) in merged { if let value { headers.append(name, value) } }
        return HTTPRequest(
            method: "POST", path: path, headers: headers, body: RequestBody(body),
            id: "0123456789abcdef")
    }

    /// A request for messages.
    static func messages(_ query: String?, token: String) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/messages", query: query,
            headers: HTTPHeaders([HTTPHeaders.Field("Authorization", "Bearer " + token)]),
            id: "0123456789abcdef")
    }
}

extension HTTPResponse {
    /// The messages of an answer.
    func messages() throws -> [[String: any Sendable]] {
        try #require(object["messages"] as? [[String: any Sendable]])
    }
}
