/// The options of a connection: timeouts and limits.
public struct PostgreSQLOptions: Sendable, Hashable {
    /// The timeout for connecting, and for a statement with its answer.
    ///
    /// The server gets the same limit and ends the statement itself; one second later the connection is closed. The limit does not include
    /// host name resolution, which has the resolver's own timeouts.
    public var timeout: Duration
    /// How long a statement waits for locks of other transactions.
    public var lockTimeout: Duration
    /// The time after which the server ends an idle transaction, so that a suspended machine does not block others.
    public var idleTimeout: Duration
    /// The maximum size of an answer, in bytes. A larger answer is an error, so that a server cannot exhaust memory.
    public var maximumAnswerSize: Int
    /// The maximum size of a row, in bytes. The server checks it, because libpq holds a row in memory before its size is known.
    public var maximumRowSize: Int
    /// Ends waiting calls from another thread.
    public var interruption: Interruption

    /// Creates options.
    public init(
        timeout: Duration = .seconds(30),
        lockTimeout: Duration = DatabaseOptions.standardLockTimeout,
        idleTimeout: Duration = .seconds(300), maximumAnswerSize: Int = 128 * 1_024 * 1_024,
        maximumRowSize: Int = 4 * 1_024 * 1_024, interruption: Interruption = Interruption()
    ) {
        self.timeout = timeout
        self.lockTimeout = lockTimeout
        self.idleTimeout = idleTimeout
        self.maximumAnswerSize = maximumAnswerSize
        self.maximumRowSize = maximumRowSize
        self.interruption = interruption
    }
}

extension Duration {
    /// Whole milliseconds, rounded up and limited to the largest value.
    var roundedMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return overflow ? .max : Int32(clamping: product + rest)
    }
}
