internal import Platform

/// The address and limits of a server. A limit of 0 means no limit.
public struct HTTPServerOptions: Sendable {
    /// The size of a lane.
    public struct Lane: Sendable, Hashable {
        /// The number of workers. Without a limit, each piece of work gets its own worker.
        public var workers: Int
        /// The maximum number of requests that wait for a worker.
        public var waiting: Int

        /// Makes a size.
        public init(workers: Int, waiting: Int) {
            self.workers = workers
            self.waiting = waiting
        }
    }

    /// The numeric IPv4 or IPv6 address to listen on.
    public var address: String
    /// The port; 0 lets the system choose.
    public var port: UInt16
    /// Certificate and key; nil for plain HTTP.
    public var identity: TLSIdentity?
    /// The number of I/O threads, at least one.
    public var threads: Int
    /// The sizes of the lanes. A lane without a size has one worker.
    public var lanes: [HTTPLane: Lane]
    /// The maximum number of connections. A further one displaces the connection that was without a
    /// complete request for the longest.
    public var maximumConnections: Int
    /// The maximum number of connections of one IPv4 address or IPv6 /64 network. It does not apply
    /// to trusted proxies.
    public var maximumConnectionsOfOneAddress: Int
    /// A path with additional connections of its own, so that it answers even if all other connections are busy.
    public var reservedPath: String?
    /// The proxies whose `X-Forwarded-For` is accepted.
    public var trustedProxies: [AddressNetwork]
    /// The maximum size of a request's head, in bytes. A connection has twice as much memory.
    public var maximumHeadSize: Int
    /// The maximum size of a request's content, in bytes.
    public var maximumBodySize: Int
    /// The time limit for receiving a request, for sending a response, and for an idle connection.
    public var timeout: Duration
    /// Decides by its descriptor whether to serve an accepted connection. Others are closed unread.
    /// One thread calls it.
    public var admits: @Sendable (Int32) -> Bool
    /// The clock of ``timeout``. Tests replace it.
    var now: @Sendable () -> MonotonicTime = { .now }

    /// Makes options.
    public init(
        address: String = "127.0.0.1", port: UInt16 = 0, identity: TLSIdentity? = nil,
        threads: Int = 2,
        lanes: [HTTPLane: Lane] = [
            .storage: Lane(workers: 4, waiting: 1_024), .derivation: Lane(workers: 2, waiting: 16),
        ],
        maximumConnections: Int = 4_096, maximumConnectionsOfOneAddress: Int = 256,
        reservedPath: String? = nil, trustedProxies: [AddressNetwork] = [],
        maximumHeadSize: Int = 16_384, maximumBodySize: Int = 16_384,
        timeout: Duration = .seconds(10),
        admits: @escaping @Sendable (Int32) -> Bool = { _ in true }
    ) {
        self.address = address
        self.port = port
        self.identity = identity
        self.threads = threads
        self.lanes = lanes
        self.maximumConnections = maximumConnections
        self.maximumConnectionsOfOneAddress = maximumConnectionsOfOneAddress
        self.reservedPath = reservedPath
        self.trustedProxies = trustedProxies
        self.maximumHeadSize = maximumHeadSize
        self.maximumBodySize = maximumBodySize
        self.timeout = timeout
        self.admits = admits
    }
}

/// A certificate chain with its private key, both as PEM.
public struct TLSIdentity: Sendable {
    /// The certificates, the server's own first.
    public let certificate: [UInt8]
    /// The private key.
    public let key: RequestBody

    /// Makes an identity.
    public init(certificate: [UInt8], key: RequestBody) {
        self.certificate = certificate
        self.key = key
    }
}
