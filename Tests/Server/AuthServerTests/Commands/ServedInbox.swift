import Foundation
import Testing

/// An account with an inbox and a subscription at running servers of one database, as its owner and a sender use them.
struct ServedInbox {
    let access: String
    let inbox: String
    let receiving: String
    let acknowledging: String
    /// The path of the subscription's URL.
    let path: String

    /// Makes all of it at one of the servers.
    init(_ home: ServerHome, _ server: ServingProcess, options: [String] = []) throws {
        let invited = try home.run(
            ["account", "invite", "ada@example.org", "--json"] + options
        ).object()
        let code = try #require(invited["code"] as? String)
        let made = Connection.request(
            "POST /account", port: server.port, fields: ["Content-Type: application/json"],
            body:
                #"{"email":"ada@example.org","password":"correct horse","invitation":"\#(code)"}"#)
        try #require(made.hasPrefix("HTTP/1.1 201"))
        let signedIn = Connection.form(
            "/oauth/token",
            "grant_type=password&client_id=taskvault&username=ada%40example.org&password=correct+horse",
            port: server.port)
        access = try Self.text("access_token", signedIn)
        let inbox = Self.post("/inboxes", access, server.port)
        self.inbox = try Self.text("id", inbox)
        receiving = try Self.text("receive_token", inbox)
        acknowledging = try Self.text("acknowledge_token", inbox)
        let subscribed = Self.post(
            "/subscriptions", access, server.port, #"{"inbox":"\#(self.inbox)"}"#)
        let url = try Self.text("endpoint", subscribed)
        path = try String(#require(url.split(separator: "/push/").last))
    }

    /// The JSON object of an answer.
    static func object(_ answer: String) throws -> [String: Any] {
        let content = try #require(answer.ranges(of: "\r\n\r\n").first).upperBound
        let value = try JSONSerialization.jsonObject(with: Data(answer[content...].utf8))
        return try #require(value as? [String: Any])
    }

    private static func text(_ name: String, _ answer: String) throws -> String {
        try #require(try object(answer)[name] as? String)
    }

    /// Sends a request with a token.
    static func post(
        _ path: String, _ token: String, _ port: UInt16, _ content: String = "{}"
    ) -> String {
        Connection.request(
            "POST " + path, port: port,
            fields: ["Content-Type: application/json", "Authorization: Bearer " + token],
            body: content)
    }

    /// Pushes a message of ASCII at a server.
    func push(_ content: String, _ port: UInt16) -> String {
        Connection.request(
            "POST /push/" + path, port: port, fields: ["TTL: 60", "Content-Encoding: aes128gcm"],
            body: content)
    }

    /// Begins to wait for a message, and returns when the server waits.
    func poll(_ port: UInt16, after number: Int = 0) throws -> Connection {
        try Self.poll("/messages", receiving, port, after: number)
    }

    /// Begins to wait for a change, and returns when the server waits.
    static func poll(
        _ path: String, _ token: String, _ port: UInt16, after number: Int
    ) throws -> Connection {
        let connection = try #require(Connection(port: port))
        connection.send(
            "GET \(path)?after=\(number)&wait=300 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                + "Authorization: Bearer \(token)\r\n\r\n")
        while true {
            let metrics = Connection.request("GET /metrics", port: port)
            try #require(metrics.hasPrefix("HTTP/1.1 200"))
            if metrics.contains("\ntaskvault_held_requests 1\n") { return connection }
        }
    }
}
