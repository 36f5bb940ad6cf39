internal import HTTPServer
internal import Passkeys

/// The rules for accepted requests (Fetch, RFC 9110 section 7.2, Fetch Metadata). Only the page
/// itself may send requests.
struct RequestRules: Sendable {
    /// The kinds of requests.
    enum Kind {
        /// A file of the page, without user data.
        case file
        /// The form of the start file.
        case opening
        /// Any other request.
        case action
    }

    private let host: String
    private let origin: String

    /// Makes the rules for a page.
    init(_ page: PageOrigin) {
        host = page.host
        origin = page.text
    }

    /// Whether a request is allowed. The bearer token of an action is checked separately.
    func allow(_ request: HTTPRequest, _ kind: Kind) -> Bool {
        // A domain name that an attacker points to this machine appears as another host (DNS
        // rebinding).
        guard one("Host", of: request) == host else { return false }
        let site = one("Sec-Fetch-Site", of: request)
        let origins = request.headers.values("Origin")
        switch kind {
        case .file:
            return request.method == "GET" && (site == "none" || site == "same-origin")
                && origins.allSatisfy { $0 == origin }
        case .opening:
            // A `file:` page has the origin `null`, so the token decides. Frames and scripts are
            // excluded.
            return request.method == "POST" && origins == ["null"]
                && one("Sec-Fetch-Mode", of: request) == "navigate"
                && one("Sec-Fetch-Dest", of: request) == "document"
        case .action:
            return site == "same-origin"
                && (request.method == "GET" && origins.isEmpty || origins == [origin])
        }
    }

    /// The value of a field that occurs exactly once.
    private func one(_ name: String, of request: HTTPRequest) -> String? {
        let values = request.headers.values(name)
        return values.count == 1 ? values[0] : nil
    }
}
