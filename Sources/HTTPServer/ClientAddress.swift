/// The numeric address of a client, without its port.
public struct ClientAddress: Sendable, Hashable {
    /// As people write it: `192.0.2.7`, `2001:db8::1`; an IPv4 address inside IPv6 is written as IPv4.
    public let text: String
    /// What is counted as one client: the address, or the /64 network of an IPv6 address, such as `2001:db8::/64`.
    public let network: String

    /// The IPv4 address of this machine.
    public static let loopback = ClientAddress(text: "127.0.0.1", network: "127.0.0.1")

    /// Whether it is this machine.
    public var isLoopback: Bool { text.hasPrefix("127.") || text == "::1" }

    /// Makes an address of its two forms, for tests of handlers too.
    public init(text: String, network: String) {
        self.text = text
        self.network = network
    }
}
