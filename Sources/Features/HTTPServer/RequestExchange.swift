internal import CMicroHTTPD
internal import CSodium
internal import Platform
internal import Synchronization

/// A request in progress, from its first line until its response is complete or the connection has
/// ended.
///
/// Only the thread that serves the connection uses it.
final class RequestExchange {
    enum Phase {
        /// The head is incomplete.
        case head
        /// The content is being read.
        case content
        /// Another thread will respond.
        case suspended(SuspendedResponse)
        /// The response is queued.
        case answered
    }

    let connection: ClientConnection
    let target: [UInt8]
    var phase = Phase.head
    var request: HTTPRequest
    var body: BodyCollector?
    /// The place of large content; nil for other content.
    var place: HTTPPlace?
    /// The lines between chunks; nil for other content.
    var chunkLines: ChunkLines?
    /// Whether the connection must close after this request: after a refusal, and after chunks.
    var isLast = false
    var status: Int?
    var startTime = BootTime.now

    init(connection: ClientConnection, target: [UInt8], isEncrypted: Bool) {
        self.connection = connection
        self.target = target
        // libmicrohttpd may refuse the head, and the target is unchecked then.
        let text = HTTPSyntax.isTarget(target) ? String(decoding: target, as: UTF8.self) : ""
        request = HTTPRequest(
            method: "", path: text, client: connection.address, isEncrypted: isEncrypted,
            id: RequestIdentifier.make())
    }

    /// Takes the values of the parsed head.
    func apply(_ head: RequestHead, trusting proxies: TrustedProxies) {
        startTime = .now
        let named = head.isVerified ? proxies.client(of: request.peer, head.headers) : .peer
        if case .named(let address) = named { request.client = address }
        request.method = head.method
        request.path = head.target.path
        request.query = head.target.query
        request.headers = head.headers
        request.host = head.target.authority ?? head.headers.values("Host").first
        request.isForwardingUnreadable = named == .unreadable
    }

    /// Takes the collected content.
    func finishBody() {
        if let body { request.body = body.finish() }
        body = nil
    }
}

/// Makes the identifiers that locate a request in the log.
enum RequestIdentifier {
    /// A random start, once per process. A system call for each request would cost more than
    /// parsing its head.
    private static let start: UInt64 = {
        var number: UInt64 = 0
        unsafe randombytes_buf(&number, MemoryLayout.size(ofValue: number))
        return number
    }()
    private static let count = Atomic<UInt64>(0)

    /// A new identifier. Consecutive identifiers do not look similar.
    static func make() -> String {
        // The finalizer of SplitMix64, which is a bijection.
        var number = start &+ count.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
