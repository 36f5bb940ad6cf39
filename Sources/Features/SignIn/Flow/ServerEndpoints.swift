public import HTTPClient

/// The endpoints of a server without metadata, as the user sets them.
public struct ServerEndpoints: Sendable, Hashable {
    /// The token endpoint (RFC 6749, section 3.2).
    public let token: WebURL
    /// The authorization endpoint (section 3.1); nil without the authorization code grant.
    public let authorization: WebURL?
    /// The device authorization endpoint (RFC 8628, section 3.1); nil without the device grant.
    public let device: WebURL?
    /// The revocation endpoint (RFC 7009); nil if there is none.
    public let revocation: WebURL?

    private static let names = ["token", "authorization", "device", "revocation"]

    /// Reads pairs such as `token=https://auth.example.org/token`, separated by spaces. Each
    /// address is `https`, or `http` on this machine.
    ///
    /// - Returns: nil for any other text, a repeated name, and without a token endpoint.
    public init?(_ text: String) {
        var found: [String: WebURL] = [:]
        for pair in text.split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, Self.names.contains(parts[0]),
                let url = try? WebURL(parts[1]), url.scheme == .https || url.isLoopback,
                found.updateValue(url, forKey: parts[0]) == nil
            else { return nil }
        }
        guard let token = found["token"] else { return nil }
        self.token = token
        authorization = found["authorization"]
        device = found["device"]
        revocation = found["revocation"]
    }

    /// The pairs, in a fixed order.
    public var text: String {
        zip(Self.names, [token, authorization, device, revocation])
            .compactMap { name, url in url.map { "\(name)=\($0)" } }.joined(separator: " ")
    }
}
