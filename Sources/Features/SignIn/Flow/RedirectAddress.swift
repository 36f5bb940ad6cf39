internal import HTTPClient

/// The address on this machine to which a server's page sends the browser (RFC 8252, section 7.3).
public struct RedirectAddress: Sendable, Hashable {
    /// The address without the setting: any free port, and the path `/callback`.
    public static let standard = RedirectAddress(host: "127.0.0.1", port: nil, path: "/callback")

    /// The host: `127.0.0.1`, `::1` or `localhost`.
    let host: String
    /// The port; nil for any free one.
    let port: UInt16?
    /// The path, which servers compare exactly.
    let path: String

    private init(host: String, port: UInt16?, path: String) {
        self.host = host
        self.port = port
        self.path = path
    }

    /// Accepts an `http` address of `127.0.0.1`, `[::1]` or `localhost`, without a query. Without a
    /// port, any free one is used.
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        guard let url = try? WebURL(text), url.scheme == .http, url.query == nil,
            ["127.0.0.1", "::1", "localhost"].contains(url.host)
        else { return nil }
        self.init(
            host: url.host, port: url.port == url.scheme.port ? nil : url.port, path: url.path)
    }

    /// The address, without a port if any free one is used.
    public var text: String { address(port: port) }

    /// The address with a port.
    func address(port: UInt16?) -> String {
        authority(of: host, port: port) + path
    }

    /// The address of a host of this machine, without a path.
    func authority(of host: String, port: UInt16?) -> String {
        "http://" + (host == "::1" ? "[::1]" : host) + (port.map { ":\($0)" } ?? "")
    }

    /// The same address on another host of this machine.
    func on(host: String) -> RedirectAddress {
        RedirectAddress(host: host, port: port, path: path)
    }
}
