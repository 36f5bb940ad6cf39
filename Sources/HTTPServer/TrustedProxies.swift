/// The proxies that are believed when they say for whom they ask.
struct TrustedProxies: Sendable {
    private let networks: [AddressNetwork]

    /// Believes who is in one of the networks.
    init(_ networks: [AddressNetwork]) {
        self.networks = networks
    }

    /// Whether an address is that of such a proxy.
    func contain(_ address: ClientAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// Who sent a request that came from `peer`: each proxy adds to `X-Forwarded-For` whom it has it from, so this is the last one there who is no
    /// trusted proxy. What stands before that may be written by anybody, and is not looked at.
    ///
    /// The peer itself, if it is no trusted proxy or does not say that in a way that can be understood.
    func client(of peer: ClientAddress, _ headers: HTTPHeaders) -> ClientAddress {
        guard contain(peer) else { return peer }
        for value in headers.values("X-Forwarded-For").reversed() {
            for entry in value.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                let words = entry.split { $0 == " " || $0 == "\t" }
                guard words.count == 1, let address = ClientAddress(numeric: String(words[0]))
                else { return peer }
                if !contain(address) { return address }
            }
        }
        return peer
    }
}
