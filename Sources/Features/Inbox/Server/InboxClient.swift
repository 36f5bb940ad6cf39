package import HTTPClient
package import SecretMemory
package import SignIn
package import TextCoding

/// The inboxes, the push service and the checklists of TaskVault's own server (`Docs/AuthProtocol.md`).
///
/// Each call is one exchange; it throws `SignInError`, or `SecretMemoryError`. ``SignInError/rejected`` means that a token is not valid (any
/// more), ``SignInError/unsupported`` that the server has no inboxes, or no such thing. Thread-safe.
package struct InboxClient: Sendable {
    /// A new inbox.
    package struct Inbox: ~Copyable {
        /// Its id.
        package let id: String
        /// The token that reads waiting messages.
        package let receiveToken: SecretBytes
        /// The token that removes them at the server.
        package let acknowledgeToken: SecretBytes
    }

    /// Waiting messages.
    package struct Delivery: Sendable {
        /// The messages, the oldest first.
        package let messages: [DeliveredMessage]
        /// What the next request begins after.
        package let next: Int64
    }

    /// The answer to a question for something that may be unchanged.
    package struct Answer: ~Copyable {
        /// The content; nil if it is as it was.
        package let content: SecretBytes?
        /// The tag for the next question.
        package let etag: String?
    }

    /// The most ids in one acknowledgement.
    private static let mostAcknowledged = 256
    private static let json = "application/json"
    private static let noAnswer = SignInError.broken(detail: "its answer is not that of an inbox")

    /// The server.
    package let issuer: Issuer
    private let http: HTTPClient

    /// Makes a client of the inboxes, without connecting.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - http: The connection. Its time limit must be longer than the longest wait.
    package init(_ issuer: Issuer, _ http: HTTPClient) {
        self.issuer = issuer
        self.http = http
    }
}

// With the access token of the account.
extension InboxClient {
    /// Makes an inbox.
    package func makeInbox(_ token: borrowing SecretBytes) throws -> Inbox {
        let response = try post("/inboxes", "{}", token)
        return try response.content.withBytes { (bytes) throws -> Inbox in
            guard let object = AnswerObject(bytes),
                let id = object.id("id", in: bytes),
                let receive = try object.token("receive_token", in: bytes),
                let acknowledge = try object.token("acknowledge_token", in: bytes)
            else { throw Self.noAnswer }
            return Inbox(id: id, receiveToken: receive, acknowledgeToken: acknowledge)
        }
    }

    /// The ids of all inboxes of the account.
    package func inboxes(_ token: borrowing SecretBytes) throws -> [String] {
        let answer = try get("/inboxes", token, unless: nil)
        switch answer.content {
        case .some(let content):
            return try content.withBytes { (bytes) throws in try Self.ids(bytes) }
        case .none: throw Self.noAnswer
        }
    }

    private static func ids(_ bytes: RawSpan) throws -> [String] {
        guard let object = AnswerObject(bytes), let ranges = object.elements("inboxes", in: bytes)
        else { throw noAnswer }
        return try ranges.map { range in
            let part = bytes.extracting(range)
            guard let inbox = AnswerObject(part), let id = inbox.id("id", in: part) else {
                throw noAnswer
            }
            return id
        }
    }

    /// Ends an inbox with all its subscriptions.
    package func removeInbox(_ id: String, _ token: borrowing SecretBytes) throws {
        _ = try post("/inboxes/remove", #"{"inbox":"\#(id)"}"#, token)
    }

    /// Makes a subscription.
    ///
    /// - Parameters:
    ///   - inbox: The id of the inbox.
    ///   - vapidKey: The public key of the sender, in Base64 for URLs; nil for any sender.
    ///   - token: The access token.
    /// - Returns: The id and the endpoint of the subscription.
    /// - Throws: `SignInError`.
    package func subscribe(
        _ inbox: String, vapidKey: String?, _ token: borrowing SecretBytes
    ) throws -> (id: String, endpoint: WebURL) {
        let key = vapidKey.map { #","vapid_key":"\#($0)""# } ?? ""
        let response = try post("/subscriptions", #"{"inbox":"\#(inbox)"\#(key)}"#, token)
        return try response.content.withBytes {
            (bytes) throws -> (id: String, endpoint: WebURL) in
            guard let object = AnswerObject(bytes), let id = object.id("id", in: bytes),
                let endpoint = object.text("endpoint", in: bytes).flatMap({ try? WebURL($0) })
            else { throw Self.noAnswer }
            return (id, endpoint)
        }
    }

    /// Ends a subscription. One that has ended before is no error.
    package func endSubscription(_ id: String, _ token: borrowing SecretBytes) throws {
        do {
            _ = try post("/subscriptions/end", #"{"subscription":"\#(id)"}"#, token)
        } catch SignInError.unsupported {
            return
        }
    }

    /// The list of the checklists.
    package func checklists(_ token: borrowing SecretBytes) throws -> Answer {
        try get("/checklists", token, unless: nil)
    }

    /// A checklist.
    ///
    /// - Throws: ``SignInError/unsupported`` if there is none of this id.
    package func checklist(
        _ id: String, unless etag: String?, _ token: borrowing SecretBytes
    ) throws -> Answer {
        try get("/checklists/" + id, token, unless: etag)
    }
}

// With the tokens of the inbox.
extension InboxClient {
    /// The longest wait that is asked for, in seconds.
    package static let longestWait = 240

    /// Reads waiting messages.
    ///
    /// - Parameters:
    ///   - after: What the last answer said; 0 at first.
    ///   - wait: How long the server holds the answer while there is none, in seconds.
    ///   - token: The receive token.
    ///   - now: The clock.
    /// - Returns: The messages.
    /// - Throws: `SignInError`.
    package func messages(
        after: Int64, wait: Int, _ token: borrowing SecretBytes, now: @Sendable () -> PointInTime
    ) throws -> Delivery {
        let answer = try get("/messages?after=\(after)&wait=\(wait)", token, unless: nil)
        // Distinct times keep the order of arrival.
        let received = now().milliseconds
        switch answer.content {
        case .some(let content):
            return try content.withBytes { (bytes) throws in
                try Self.delivery(bytes, received: received)
            }
        case .none: throw Self.noAnswer
        }
    }

    private static func delivery(_ bytes: RawSpan, received: Int64) throws -> Delivery {
        guard let object = AnswerObject(bytes),
            let ranges = object.elements("messages", in: bytes),
            let next = object.number("next", in: bytes)
        else { throw noAnswer }
        let messages = try ranges.enumerated().map { index, range in
            let part = bytes.extracting(range)
            guard let message = AnswerObject(part), let id = message.id("id", in: part),
                let subscription = message.id("subscription", in: part),
                let body = message.bytes("body_base64", in: part)
            else { throw noAnswer }
            return DeliveredMessage(
                id: id, subscription: subscription,
                received: PointInTime(milliseconds: received + Int64(index)), body: body)
        }
        return Delivery(messages: messages, next: next)
    }

    /// Has the server forget messages that are in the vault.
    package func acknowledge(_ ids: [String], _ token: borrowing SecretBytes) throws {
        for start in stride(from: 0, to: ids.count, by: Self.mostAcknowledged) {
            let part = ids[start..<min(start + Self.mostAcknowledged, ids.count)]
            let list = part.map { "\"" + $0 + "\"" }.joined(separator: ",")
            _ = try post("/messages/acknowledge", #"{"messages":[\#(list)]}"#, token)
        }
    }
}

// Sending.
extension InboxClient {
    /// Sends a sealed message to an endpoint of any push service (RFC 8030).
    ///
    /// - Parameters:
    ///   - body: The content with the coding `aes128gcm`.
    ///   - endpoint: The endpoint.
    ///   - lifetime: How long the service keeps it, in seconds.
    ///   - http: The connection.
    /// - Throws: ``SignInError``: `unsupported` if the inbox does not exist (any more).
    package static func push(
        _ body: [UInt8], to endpoint: WebURL, lifetime: Int, _ http: HTTPClient
    ) throws {
        let fields = [
            ClientRequest.Field("TTL", "\(lifetime)"),
            ClientRequest.Field("Content-Encoding", "aes128gcm"),
            ClientRequest.Field("Urgency", "normal"),
        ]
        let content = unsafe try SecretBytes(copying: body.span.bytes)
        let response = try send(
            ClientRequest(
                post: endpoint, fields: fields, contentType: "application/octet-stream",
                content: content), http)
        guard (200...299).contains(response.status) else {
            if response.status == 410 { throw SignInError.unsupported }
            throw ServerRefusal(response).ofAccounts
        }
    }
}

extension InboxClient {
    private static func send(
        _ request: consuming ClientRequest, _ http: HTTPClient
    ) throws -> ClientResponse {
        do {
            return try http.send(request)
        } catch let error as HTTPClientError {
            throw SignInError(error)
        }
    }

    private func url(_ target: String) throws -> WebURL {
        do {
            return try WebURL(issuer.text + target)
        } catch {
            throw Self.noAnswer
        }
    }

    private static func bearer(_ token: borrowing SecretBytes) throws -> SecretBytes {
        let scheme = Array("Bearer ".utf8)
        return try (unsafe SecretBytes(copying: scheme.span.bytes)).joined(with: token)
    }

    /// Sends an object, and expects success.
    private func post(
        _ target: String, _ object: String, _ token: borrowing SecretBytes
    ) throws -> ClientResponse {
        let content = Array(object.utf8)
        let response = try Self.send(
            ClientRequest(
                post: try url(target), fields: [ClientRequest.Field("Accept", Self.json)],
                authorization: try Self.bearer(token), contentType: Self.json,
                content: unsafe try SecretBytes(copying: content.span.bytes)), http)
        guard (200...299).contains(response.status) else {
            throw ServerRefusal(response).ofAccounts
        }
        return response
    }

    private func get(
        _ target: String, _ token: borrowing SecretBytes, unless etag: String?
    ) throws -> Answer {
        var fields = [ClientRequest.Field("Accept", Self.json)]
        if let etag { fields.append(ClientRequest.Field("If-None-Match", etag)) }
        let response = try Self.send(
            ClientRequest(
                get: try url(target), fields: fields, authorization: try Self.bearer(token)), http)
        if response.status == 304, etag != nil { return Answer(content: nil, etag: etag) }
        guard response.status == 200 else { throw ServerRefusal(response).ofAccounts }
        return Answer(content: try response.content.copy(), etag: response.etag)
    }
}

extension AnswerObject {
    /// An id of the server, 32 hexadecimal digits; nil if there is none.
    fileprivate func id(_ name: String, in bytes: RawSpan) -> String? {
        text(name, in: bytes).flatMap { Hexadecimal.isText($0, ofBytes: 16) ? $0 : nil }
    }
}
