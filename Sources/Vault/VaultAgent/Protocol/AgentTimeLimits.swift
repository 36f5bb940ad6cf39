/// The timeouts of both ends.
struct AgentTimeLimits: Sendable {
    /// For the hello, from the connection on.
    var hello: Duration
    /// For the rest of a frame after its first byte, and for sending a whole frame.
    var frame: Duration
    /// For a whole list, which stays in memory until it is complete.
    var list: Duration = .seconds(30)
    /// For the first byte of an answer. A store's wait for other processes and the list of a large
    /// vault take less.
    var answer: Duration = .seconds(30)
    /// For the first byte of an answer to a verification or a batch of secrets.
    /// Earlier verifications may each wait for a delay and a slow key derivation.
    var proof: Duration = .seconds(180)

    /// The limits of the protocol, and the defaults of a client.
    static let standard = AgentTimeLimits(hello: .seconds(5), frame: .seconds(10))
}
