/// The constants of `Docs/AgentProtocol.md`.
package enum AgentProtocol {
    /// The protocol version of this program.
    package static let version: UInt32 = 1
    /// The largest payload, in bytes: a value of 1 MiB with its description, and some margin.
    static let largestPayload = 2 * 1_024 * 1_024
    /// The largest payload before the hellos, in bytes.
    static let largestHello = 4 * 1_024
    /// The largest size of a program version, in bytes.
    static let largestVersionText = 64
    /// The largest size of the name of a sandboxed application, in bytes.
    static let largestApplicationName = 512
    /// The limit of pipelined requests, in bytes, while a client waits for answers: they fit the
    /// socket's buffer.
    static let mostAhead = 4 * 1_024
    /// The number of requests for parts of a file that may be outstanding.
    static let mostPartsAhead = 4
    /// The size at which a page of a list ends, in bytes.
    static let pageSize = 64 * 1_024
    /// The largest batch of secrets for one save, in bytes.
    static let largestBatch = 96 * 1_024 * 1_024
    /// The name of the socket in its folder.
    static let socketName = "agent.sock"
    /// The name of the file in the vault's folder with the path of a socket elsewhere.
    static let noteName = "agent.place"
}
