public import HTTPServer

/// The identity, clients and limits of a server.
public struct AuthServerOptions: Sendable {
    /// The issuer: the URL at which clients reach the server, without path and trailing slash (RFC 8414 section 2).
    public var issuer: String
    /// The registered clients. The public client `taskvault` always exists.
    public var clients: [RegisteredClient]
    /// The clients on other machines that may read the metrics.
    public var metricsClients: [AddressNetwork]
    /// Whether I/O threads read the database themselves. This suits a file, but not a server, which may answer late.
    public var readsAtOnce: Bool
    /// The largest number of fields in a form; 0 is no limit.
    public var maximumFormFields: Int
    /// The largest number of members in a JSON object; 0 is no limit.
    public var maximumJSONMembers: Int
    /// The largest numbers of pushed messages and of refreshes that wait for the database; 0 is no limit.
    public var maximumPushes: Int
    /// Whether separate threads store pushed messages and refreshes, so that no I/O thread waits for the disk.
    public var storesInThread: Bool

    /// Creates options.
    public init(
        issuer: String, clients: [RegisteredClient] = [],
        metricsClients: [AddressNetwork] = [], readsAtOnce: Bool = true,
        maximumFormFields: Int = 32, maximumJSONMembers: Int = 16, maximumPushes: Int = 1_024,
        storesInThread: Bool = true
    ) {
        self.issuer = issuer
        self.clients = clients
        self.metricsClients = metricsClients
        self.readsAtOnce = readsAtOnce
        self.maximumFormFields = maximumFormFields
        self.maximumJSONMembers = maximumJSONMembers
        self.maximumPushes = maximumPushes
        self.storesInThread = storesInThread
    }
}
