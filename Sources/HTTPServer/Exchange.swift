internal import CMicroHTTPD
internal import Platform

/// A request and its answer, from its first line until the answer is complete or the connection has ended.
///
/// Belongs to the thread that serves the connection.
final class Exchange {
    enum Phase {
        /// The head is not complete.
        case head
        /// The content is awaited.
        case content
        /// A worker will answer.
        case suspended(SuspendedAnswer)
        /// There is an answer.
        case answered
    }

    let connection: ClientConnection
    let target: [UInt8]
    var phase = Phase.head
    var request: HTTPRequest
    var body: BodyCollector?
    /// Whether the server refused it: nothing that follows it may be taken for a request.
    var isRefused = false
    var status: Int?
    var beginning = ContinuousClock.now

    init(connection: ClientConnection, target: [UInt8], isEncrypted: Bool) {
        self.connection = connection
        self.target = target
        let text = String(decoding: target, as: UTF8.self)
        request = HTTPRequest(
            method: "", path: text, client: connection.address, isEncrypted: isEncrypted,
            id: RequestIdentifier.make())
    }

    /// Takes what the head says.
    func take(_ head: RequestHead, believing proxies: TrustedProxies) {
        beginning = .now
        let parts = head.target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        request = HTTPRequest(
            method: head.method, path: String(parts.first ?? ""),
            query: parts.count > 1 ? String(parts[1]) : nil, headers: head.headers,
            client: head.isTrustworthy
                ? proxies.client(of: request.peer, head.headers) : request.peer,
            peer: request.peer, isEncrypted: request.isEncrypted, id: request.id)
    }

    /// Takes the content.
    func takeContent() {
        guard let body else { return }
        request = HTTPRequest(
            method: request.method, path: request.path, query: request.query,
            headers: request.headers, body: body.finish(), client: request.client,
            peer: request.peer, isEncrypted: request.isEncrypted, id: request.id)
        self.body = nil
    }
}
