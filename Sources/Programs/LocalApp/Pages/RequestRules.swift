internal import HTTPServer

/// Which requests are looked at (Fetch, RFC 9110 section 7.2, Fetch Metadata): only those of the page itself.
struct RequestRules: Sendable {
    /// The kinds of requests.
    enum Kind {
        /// A file of the page, without data of the user.
        case file
        /// The form of the file that `taskvault app` opens.
        case opening
        /// All others.
        case action
    }

    static let hostName = "taskvault.localhost"

    private let host: String
    private let origin: String

    /// Makes the rules of a port.
    init(port: UInt16) {
        host = "\(Self.hostName):\(port)"
        origin = "http://" + host
    }

    /// Whether a request may be answered. The bearer of an action is checked elsewhere.
    func allow(_ request: HTTPRequest, _ kind: Kind) -> Bool {
        // A name that an attacker points to this machine comes as another host.
        guard one("Host", of: request) == host else { return false }
        let site = one("Sec-Fetch-Site", of: request)
        let origins = request.headers.values("Origin")
        switch kind {
        case .file:
            return request.method == "GET" && (site == "none" || site == "same-origin")
                && origins.allSatisfy { $0 == origin }
        case .opening:
            // No other page can be in a file: the token decides. A frame or a script gets nothing.
            return request.method == "POST" && origins == ["null"]
                && one("Sec-Fetch-Mode", of: request) == "navigate"
                && one("Sec-Fetch-Dest", of: request) == "document"
        case .action:
            return site == "same-origin"
                && (request.method == "GET" && origins.isEmpty || origins == [origin])
        }
    }

    /// The value of a field that is there once.
    private func one(_ name: String, of request: HTTPRequest) -> String? {
        let values = request.headers.values(name)
        return values.count == 1 ? values[0] : nil
    }
}
