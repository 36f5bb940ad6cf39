/// How long one end waits for the other.
struct AgentTimeLimits: Sendable {
    /// For the hello, from the connection on.
    var hello: Duration
    /// For the rest of a frame, from its first byte on, and for all of one that is sent.
    var frame: Duration
    /// For all of a list, which is kept in memory meanwhile.
    var list: Duration = .seconds(30)
    /// For the first byte of an answer: longer than a store waits for other processes, or a list of a large vault takes.
    var answer: Duration = .seconds(30)
    /// The same where a passphrase is checked: others may be before it, each with a delay and a dear derivation.
    var proof: Duration = .seconds(180)

    /// Those of the protocol, and those that a client sets itself.
    static let standard = AgentTimeLimits(hello: .seconds(5), frame: .seconds(10))
}
