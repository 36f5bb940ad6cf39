/// What a server has to do at the moment and had to refuse so far, for metrics.
public struct HTTPServerCounters: Sendable, Hashable {
    /// Connections that are open.
    public var connections: Int
    /// Connections that were closed at once, because there were too many in all or of one network.
    public var refusedConnections: Int
    /// Connections that were cut off because they were too slow, idle ones included.
    public var timedOutConnections: Int
    /// Requests that wait for a worker.
    public var waitingForWorkers: Int
    /// Workers that have something to do.
    public var busyWorkers: Int
    /// Requests that found too many others waiting.
    public var overloads: Int
}
