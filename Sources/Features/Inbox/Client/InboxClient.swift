package import HTTPClient
package import SecretMemory
package import SignIn
package import TextCoding

/// A client of the inboxes, the push service and the checklists of TaskVault's own server
/// (`Docs/AuthProtocol.md`).
///
/// Each call is one exchange; it throws `SignInError` or `SecretMemoryError`.
/// ``SignInError/rejected`` means an invalid token, ``SignInError/unsupported`` a server without
/// inboxes, or a missing object. Thread-safe.
package struct InboxClient: Sendable {
    /// A new inbox.
    package struct Inbox: ~Copyable {
        /// The id.
        package let id: String
        /// The token that reads messages.
        package let receiveToken: SecretBytes
        /// The token that removes messages from the server.
        package let acknowledgeToken: SecretBytes
    }

    /// A batch of messages from the server.
    package struct Batch: Sendable {
        /// The messages, oldest first.
        package let messages: [SealedMessage]
        /// The value of `after` for the next request.
        package let next: Int64
    }

    /// The response to a conditional request (RFC 9110, section 13).
    package struct ConditionalResponse: ~Copyable {
        /// The content; nil if it is unchanged.
        package let content: SecretBytes?
        /// The entity tag for the next request.
        package let etag: String?
    }

    /// The maximum number of ids in one acknowledgement.
    private static let maximumAcknowledged = 256
    private static let json = "application/json"
    private static let noAnswer = SignInError.broken(detail: "its answer is not that of an inbox")

    /// The server.
    package let issuer: Issuer
    private let http: HTTPClient

    /// Makes a client without connecting.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - http: The HTTP client. Its timeout must exceed ``longestWait``.
    package init(_ issuer: Issuer, _ http: HTTPClient) {
        self.issuer = issuer
        self.http = http
    }
}

// Requests with the account's access token.
extension InboxClient {
    /// Creates an inbox, or new tokens of an earlier one.
    ///
    /// - Parameters:
    ///   - id: The earlier inbox; nil for a new one.
    ///   - token: The access token.
    /// - Returns: The inbox with its tokens.
    /// - Throws: ``SignInError/unsupported`` if the earlier inbox does not exist.
    package func makeInbox(
        renewing id: String? = nil, _ token: borrowing SecretBytes
    ) throws -> Inbox {
        let response = try post("/inboxes", id.map { #"{"inbox":"\#($0)"}"# } ?? "{}", token)
        return try response.content.withBytes { (bytes) throws -> Inbox in
            guard let object = JSONObject(answer: bytes),
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
        guard let object = JSONObject(answer: bytes),
            let ranges = object.elements("inboxes", in: bytes)
        else { throw noAnswer }
        return try ranges.map { range in
            let part = bytes.extracting(range)
            guard let inbox = JSONObject(answer: part), let id = inbox.id("id", in: part) else {
                throw noAnswer
            }
            return id
        }
    }

    /// Removes an inbox and all its subscriptions.
    package func removeInbox(_ id: String, _ token: borrowing SecretBytes) throws {
        _ = try post("/inboxes/remove", #"{"inbox":"\#(id)"}"#, token)
    }

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - inbox: The id of the inbox.
    ///   - vapidKey: The sender's public VAPID key (RFC 8292) in base64url; nil for any sender.
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
            guard let object = JSONObject(answer: bytes), let id = object.id("id", in: bytes),
                let endpoint = object.text("endpoint", in: bytes).flatMap({ try? WebURL($0) })
            else { throw Self.noAnswer }
            return (id, endpoint)
        }
    }

    /// Ends a subscription. An already ended subscription is no error.
    package func endSubscription(_ id: String, _ token: borrowing SecretBytes) throws {
        do {
            _ = try post("/subscriptions/end", #"{"subscription":"\#(id)"}"#, token)
        } catch SignInError.unsupported {
            return
        }
    }

    /// The list of checklists.
    package func checklists(_ token: borrowing SecretBytes) throws -> ConditionalResponse {
        try get("/checklists", token, unless: nil)
    }

    /// A checklist.
    ///
    /// - Throws: ``SignInError/unsupported`` if there is none with this id.
    package func checklist(
        _ id: String, unless etag: String?, _ token: borrowing SecretBytes
    ) throws -> ConditionalResponse {
        try get("/checklists/" + id, token, unless: etag)
    }
}

// Requests with the tokens of the inbox.
extension InboxClient {
    /// The maximum wait of a request, in seconds.
    package static let longestWait = 240

    /// Fetches messages.
    ///
    /// - Parameters:
    ///   - after: The `next` of the previous batch; 0 at first.
    ///   - wait: How long the server may delay the response if it has no message, in seconds (long
    ///     polling).
    ///   - token: The receive token.
    ///   - now: The clock.
    /// - Returns: The messages.
    /// - Throws: `SignInError`.
    package func messages(
        after: Int64, wait: Int, _ token: borrowing SecretBytes, now: @Sendable () -> PointInTime
    ) throws -> Batch {
        let answer = try get("/messages?after=\(after)&wait=\(wait)", token, unless: nil)
        // Distinct times preserve the order of arrival.
        let received = now().milliseconds
        switch answer.content {
        case .some(let content):
            return try content.withBytes { (bytes) throws in
                try Self.batch(bytes, received: received)
            }
        case .none: throw Self.noAnswer
        }
    }

    private static func batch(_ bytes: RawSpan, received: Int64) throws -> Batch {
        guard let object = JSONObject(answer: bytes),
            let ranges = object.elements("messages", in: bytes),
            let next = object.number("next", in: bytes)
        else { throw noAnswer }
        let messages = try ranges.enumerated().map { index, range in
            let part = bytes.extracting(range)
            guard let message = JSONObject(answer: part), let id = message.id("id", in: part),
                let subscription = message.id("subscription", in: part),
                let body = message.bytes("body_base64", in: part)
            else { throw noAnswer }
            return SealedMessage(
                id: id, subscription: subscription,
                received: PointInTime(milliseconds: received + Int64(index)), body: body)
        }
        return Batch(messages: messages, next: next)
    }

    /// Tells the server to remove messages that are in the vault.
    package func acknowledge(_ ids: [String], _ token: borrowing SecretBytes) throws {
        for start in stride(from: 0, to: ids.count, by: Self.maximumAcknowledged) {
            let part = ids[start..<min(start + Self.maximumAcknowledged, ids.count)]
            let list = part.map { "\"" + $0 + "\"" }.joined(separator: ",")
            _ = try post("/messages/acknowledge", #"{"messages":[\#(list)]}"#, token)
        }
    }
}

// Sending.
extension InboxClient {
    /// Sends an encrypted message to an endpoint of any push service (RFC 8030).
    ///
    /// - Parameters:
    ///   - body: The body in the content coding `aes128gcm`.
    ///   - endpoint: The endpoint.
    ///   - lifetime: How long the service keeps the message (`TTL`), in seconds.
    ///   - http: The HTTP client.
    /// - Throws: ``SignInError``: `unsupported` if the subscription does not exist.
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
            // RFC 8030, section 7.3.
            if [404, 410].contains(response.status) { throw SignInError.unsupported }
            throw ErrorResponse(response).accountError
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

    /// Sends a JSON object, and requires a success status.
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
            throw ErrorResponse(response).accountError
        }
        return response
    }

    private func get(
        _ target: String, _ token: borrowing SecretBytes, unless etag: String?
    ) throws -> ConditionalResponse {
        var fields = [ClientRequest.Field("Accept", Self.json)]
        if let etag { fields.append(ClientRequest.Field("If-None-Match", etag)) }
        let response = try Self.send(
            ClientRequest(
                get: try url(target), fields: fields, authorization: try Self.bearer(token)), http)
        if response.status == 304, etag != nil {
            return ConditionalResponse(content: nil, etag: etag)
        }
        guard response.status == 200 else { throw ErrorResponse(response).accountError }
        return ConditionalResponse(content: try response.content.copy(), etag: response.etag)
    }
}

extension JSONObject {
    /// An id of 32 hexadecimal digits; nil without one.
    fileprivate func id(_ name: String, in bytes: RawSpan) -> String? {
        text(name, in: bytes).flatMap { Hexadecimal.isText($0, ofBytes: 16) ? $0 : nil }
    }
}
