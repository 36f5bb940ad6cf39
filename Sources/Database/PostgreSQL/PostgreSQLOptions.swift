/// How a server is spoken to.
public struct PostgreSQLOptions: Sendable, Hashable {
    /// How long it may take to connect, and how long a statement may take, with its answer.
    ///
    /// The server is told, and ends the statement itself; a second later the connection is given up. Looking up the name of the server's
    /// host is not part of it: there the resolver's own limits hold.
    public var timeout: Duration
    /// How long a statement waits for locks of others.
    public var lockTimeout: Duration
    /// After which time the server ends a transaction that nothing is asked in, so that a machine that fell asleep does not hold up others.
    public var idleTimeout: Duration
    /// The size in bytes over which an answer is an error, so that a server cannot use up memory.
    public var maximumAnswerSize: Int
    /// Ends what waits, from another thread.
    public var interruption: Interruption

    /// Makes options.
    public init(
        timeout: Duration = .seconds(30), lockTimeout: Duration = .seconds(5),
        idleTimeout: Duration = .seconds(300), maximumAnswerSize: Int = 128 * 1_024 * 1_024,
        interruption: Interruption = Interruption()
    ) {
        self.timeout = timeout
        self.lockTimeout = lockTimeout
        self.idleTimeout = idleTimeout
        self.maximumAnswerSize = maximumAnswerSize
        self.interruption = interruption
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; what cannot be told becomes the largest.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return overflow ? .max : Int32(clamping: product + rest)
    }
}
