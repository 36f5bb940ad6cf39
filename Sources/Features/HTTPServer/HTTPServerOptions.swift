/// Address and limits of a server. 0 is no limit.
public struct HTTPServerOptions: Sendable {
    /// The size of a lane.
    public struct Lane: Sendable, Hashable {
        /// The number of workers; without a limit each piece of work gets its own.
        public var workers: Int
        /// The largest number of requests waiting for a worker.
        public var waiting: Int

        /// Creates a size.
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
    /// The sizes of the lanes; a lane without one gets one worker.
    public var lanes: [HTTPLane: Lane]
    /// The largest number of connections. A further one takes the place of the one that has been without a complete request for the longest.
    public var maximumConnections: Int
    /// The largest number of connections from one address or /64 network of IPv6; trusted proxies are exempt.
    public var maximumConnectionsOfOneAddress: Int
    /// A path with places of its own, for when all other connections have complete requests.
    public var reservedPath: String?
    /// The proxies whose `X-Forwarded-For` is accepted.
    public var trustedProxies: [AddressNetwork]
    /// The largest content of a request, in bytes.
    public var maximumBodySize: Int
    /// The timeout for receiving a request, for sending an answer, and for an idle connection.
    public var timeout: Duration
    /// Whether to serve an accepted connection, by its descriptor; others are closed unread. Called by one thread.
    public var admits: @Sendable (Int32) -> Bool

    /// Makes options.
    public init(
        address: String = "127.0.0.1", port: UInt16 = 0, identity: TLSIdentity? = nil,
        threads: Int = 2,
        lanes: [HTTPLane: Lane] = [
            .storage: Lane(workers: 4, waiting: 1_024), .derivation: Lane(workers: 2, waiting: 16),
        ],
        maximumConnections: Int = 4_096, maximumConnectionsOfOneAddress: Int = 256,
        reservedPath: String? = nil, trustedProxies: [AddressNetwork] = [],
        maximumBodySize: Int = 16_384,
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
        self.maximumBodySize = maximumBodySize
        self.timeout = timeout
        self.admits = admits
    }
}

/// A certificate with its key, both as PEM.
public struct TLSIdentity: Sendable {
    /// The chain of certificates, the server's own first.
    public let certificate: [UInt8]
    /// The private key.
    public let key: RequestBody

    /// Creates an identity.
    public init(certificate: [UInt8], key: RequestBody) {
        self.certificate = certificate
        self.key = key
    }
}
