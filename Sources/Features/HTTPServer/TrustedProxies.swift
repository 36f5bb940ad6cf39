/// The proxies whose `X-Forwarded-For` is accepted.
struct TrustedProxies: Sendable {
    private let networks: [AddressNetwork]

    /// Makes the list of trusted networks.
    init(_ networks: [AddressNetwork]) {
        self.networks = networks
    }

    /// Whether an address belongs to a trusted proxy.
    func contain(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The client of a request, according to its proxies.
    enum Client: Hashable {
        /// The peer itself: it is not a trusted proxy, or it names no client.
        case peer
        /// The client named by a trusted proxy.
        case named(ClientAddress)
        /// A trusted proxy sent an invalid address.
        case unreadable
    }

    /// Finds the client of a request from `peer`.
    ///
    /// Each proxy appends its own client to `X-Forwarded-For`. The client is the last entry that is
    /// not a trusted proxy. Earlier entries can be forged, so they are ignored.
    func client(of peer: ClientAddress, _ headers: HTTPHeaders) -> Client {
        guard contain(peer) else { return .peer }
        for value in headers.values("X-Forwarded-For").reversed() {
            for entry in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                let parts = entry.split { $0 == " " || $0 == "\t" }
                guard parts.count == 1, let address = ClientAddress(numeric: String(parts[0]))
                else { return .unreadable }
                if !contain(address) { return .named(address) }
            }
        }
        return .peer
    }
}
