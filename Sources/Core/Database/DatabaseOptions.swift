/// The options of a database: access, connections and timeouts.
public struct DatabaseOptions: Sendable {
    /// How long a call waits for other writers, if the program does not say otherwise.
    public static let standardLockTimeout: Duration = .seconds(5)

    /// The permitted access.
    public var mode: StorageMode
    /// How long a call waits for other writers.
    public var lockTimeout: Duration
    /// How long a server may take to respond.
    public var timeout: Duration
    /// The maximum number of connections: one writer, the others readers. A single connection serves both.
    public var connections: Int
    /// For tests: receives each new connection and returns the one to use.
    package var wrap: (@Sendable (any Database) -> any Database)?
    /// For tests: receives the options of each new connection to a server, and may change them.
    package var connecting: (@Sendable (inout PostgreSQLOptions) -> Void)?
    /// Ends calls from another thread. Each pool has its own.
    var interruption = Interruption()

    /// Creates options.
    public init(
        mode: StorageMode = .readWrite, lockTimeout: Duration = standardLockTimeout,
        timeout: Duration = .seconds(30), connections: Int = 1
    ) {
        self.mode = mode
        self.lockTimeout = lockTimeout
        self.timeout = timeout
        self.connections = connections
    }
}
