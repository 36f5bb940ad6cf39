internal import Platform

/// A URL in canonical form, so that two spellings of a server compare equal.
///
/// Scheme and host are in lower case, the default port is omitted, and an empty path is `/`. An
/// IPv6 address follows RFC 5952, and escapes have upper-case digits. Spellings that programs
/// interpret differently are rejected.
public struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme.
    public enum Scheme: String, Sendable, Hashable {
        /// Without TLS.
        case http
        /// With TLS.
        case https

        /// The default port.
        public var port: UInt16 { self == .http ? 80 : 443 }
    }

    /// The maximum length of a URL, in bytes.
    public static let maximumSize = 2_048

    /// The scheme.
    public let scheme: Scheme
    /// The server's name or numeric address; an IPv6 address has no brackets.
    public let host: String
    /// The port; the default port if the URL has none.
    public let port: UInt16
    /// The path with its escapes. It starts with a slash.
    public let path: String
    /// The query with its escapes, without the question mark; nil if there is none.
    public let query: String?

    /// Reads a URL, or throws ``HTTPClientError/address(_:)``.
    public init(_ text: String) throws {
        guard text.utf8.count <= Self.maximumSize else { throw HTTPClientError.address(.tooLong) }
        var rest = Array(text.utf8)[...]
        guard let scheme = Self.scheme(&rest) else {
            throw HTTPClientError.address(.schemeNotSupported)
        }
        if rest.contains(UInt8(ascii: "#")) { throw HTTPClientError.address(.fragment) }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let authority = rest[..<(end ?? rest.endIndex)]
        if authority.contains(UInt8(ascii: "@")) { throw HTTPClientError.address(.userInformation) }
        let (host, port) = try WebHost.read(authority)
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.port
        (path, query) = try Self.pathAndQuery(rest[authority.endIndex...])
        guard description.utf8.count <= Self.maximumSize else {
            throw HTTPClientError.address(.tooLong)
        }
    }

    /// Returns the URL of another path on this server.
    ///
    /// - Parameter target: A path that starts with a slash, optionally with a question mark and a
    ///   query.
    /// - Returns: The new URL.
    /// - Throws: ``HTTPClientError/address(_:)``.
    public func replacing(target: String) throws -> WebURL {
        guard target.utf8.first == UInt8(ascii: "/") else {
            throw HTTPClientError.address(.pathNotAllowed)
        }
        return try WebURL(origin + target)
    }

    /// The scheme, the host, and the port unless it is the default.
    public var origin: String {
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(bracketed)" + (port == scheme.port ? "" : ":\(port)")
    }

    /// The whole URL.
    public var description: String { origin + path + (query.map { "?" + $0 } ?? "") }

    /// Whether the host names this machine: `localhost`, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        host == "localhost" || host == "::1" || WebHost.isLoopbackIPv4(host)
    }

    private static func scheme(_ rest: inout ArraySlice<UInt8>) -> Scheme? {
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            rest[colon...].starts(with: "://".utf8)
        else { return nil }
        let name = String(decoding: rest[..<colon].map(WebHost.lower), as: UTF8.self)
        rest = rest[(colon + 3)...]
        return Scheme(rawValue: name)
    }

    private static func pathAndQuery(
        _ rest: ArraySlice<UInt8>
    ) throws -> (String, String?) {
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        guard let path = escaped(rest[..<(mark ?? rest.endIndex)], allowing: "/"),
            !path.split(separator: "/").contains(where: isDots)
        else { throw HTTPClientError.address(.pathNotAllowed) }
        guard let mark else { return (path.isEmpty ? "/" : path, nil) }
        guard let query = escaped(rest[(mark + 1)...], allowing: "/?") else {
            throw HTTPClientError.address(.pathNotAllowed)
        }
        return (path.isEmpty ? "/" : path, query)
    }

    /// The text with escapes in upper case; nil if a character is not allowed (RFC 3986, section
    /// 3.3).
    private static func escaped(_ bytes: ArraySlice<UInt8>, allowing extra: String) -> String? {
        var result: [UInt8] = []
        var escape = 0
        for byte in bytes {
            if escape > 0 {
                guard let digit = WebHost.hexadecimal(byte) else { return nil }
                result.append(digit)
                escape -= 1
            } else if byte == UInt8(ascii: "%") {
                result.append(byte)
                escape = 2
            } else {
                guard
                    WebHost.isLetterOrDigit(byte) || "-._~!$&'()*+,;=:@".utf8.contains(byte)
                        || extra.utf8.contains(byte)
                else { return nil }
                result.append(byte)
            }
        }
        return escape == 0 ? String(decoding: result, as: UTF8.self) : nil
    }

    /// Whether the segment is `.` or `..`, also in escaped form. Only some programs resolve the
    /// escaped form.
    private static func isDots(_ segment: Substring) -> Bool {
        var dots = 0
        var rest = segment.utf8[...]
        while !rest.isEmpty {
            if rest.starts(with: ".".utf8) {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2E".utf8) {
                rest = rest.dropFirst(3)
            } else {
                return false
            }
            dots += 1
        }
        return dots == 1 || dots == 2
    }
}
