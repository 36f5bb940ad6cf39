/// The timeouts of both ends.
struct AgentTimeLimits: Sendable {
    /// For the hello, from the connection on.
    var hello: Duration
    /// For the rest of a frame after its first byte, and for sending a whole frame.
    var frame: Duration
    /// For a whole list, which is kept in memory meanwhile.
    var list: Duration = .seconds(30)
    /// For the first byte of an answer: longer than a store waits for other processes, or the list of a large vault takes.
    var answer: Duration = .seconds(30)
    /// For the first byte of an answer to a verification: earlier attempts may each wait for a delay and a slow key derivation.
    var proof: Duration = .seconds(180)

    /// The limits of the protocol, and those that a client chooses.
    static let standard = AgentTimeLimits(hello: .seconds(5), frame: .seconds(10))
}
