/// An address on the web in its one form, so that two spellings of a server are one server.
///
/// Scheme and host are in small letters, the scheme's own port is left out, an empty path is `/`, an IPv6 address is written as RFC 5952 says,
/// and escapes have capital digits. Spellings that other programs read in different ways are refused.
public struct WebURL: Sendable, Hashable, CustomStringConvertible {
    /// How the server is spoken to.
    public enum Scheme: String, Sendable, Hashable {
        /// Without TLS.
        case http
        /// With TLS.
        case https

        /// The port where none is named.
        public var port: UInt16 { self == .http ? 80 : 443 }
    }

    /// The longest address, in bytes.
    public static let maximumSize = 2_048

    /// The scheme.
    public let scheme: Scheme
    /// The name or the numeric address of the server; of an IPv6 address without brackets.
    public let host: String
    /// The port, also where it is the scheme's own.
    public let port: UInt16
    /// The path with its escapes; begins with a slash.
    public let path: String
    /// What follows the question mark, with its escapes; nil where there is none.
    public let query: String?

    /// Reads an address.
    public init(_ text: String) throws(WebURLError) {
        guard text.utf8.count <= Self.maximumSize else { throw .tooLong }
        var rest = Array(text.utf8)[...]
        guard let scheme = Self.scheme(&rest) else { throw .schemeNotSupported }
        if rest.contains(UInt8(ascii: "#")) { throw .fragment }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let authority = rest[..<(end ?? rest.endIndex)]
        if authority.contains(UInt8(ascii: "@")) { throw .userInformation }
        let (host, port) = try WebHost.read(authority)
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.port
        (path, query) = try Self.pathAndQuery(rest[authority.endIndex...])
        guard description.utf8.count <= Self.maximumSize else { throw .tooLong }
    }

    /// The same server with another path.
    ///
    /// - Parameter target: A path that begins with a slash, and a query where there is a question mark.
    /// - Returns: The address.
    /// - Throws: ``WebURLError``, as the initialiser does.
    public func replacing(target: String) throws(WebURLError) -> WebURL {
        guard target.utf8.first == UInt8(ascii: "/") else { throw .pathNotAllowed }
        return try WebURL(origin + target)
    }

    /// Scheme, host, and port unless it is the scheme's own.
    public var origin: String {
        let bracketed = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(bracketed)" + (port == scheme.port ? "" : ":\(port)")
    }

    /// The whole address.
    public var description: String { origin + path + (query.map { "?" + $0 } ?? "") }

    /// Whether the host is this machine by its words: `localhost`, 127.0.0.0/8 or ::1.
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
    ) throws(WebURLError) -> (String, String?) {
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        guard let path = escaped(rest[..<(mark ?? rest.endIndex)], allowing: "/"),
            !path.split(separator: "/").contains(where: isDots)
        else { throw .pathNotAllowed }
        guard let mark else { return (path.isEmpty ? "/" : path, nil) }
        guard let query = escaped(rest[(mark + 1)...], allowing: "/?") else {
            throw .pathNotAllowed
        }
        return (path.isEmpty ? "/" : path, query)
    }

    /// The bytes with escapes in capitals; nil if one may not stand there (RFC 3986, section 3.3).
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

    /// `.` and `..`, which some programs resolve and some do not, also as escapes.
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

/// Why a text is no address that is accepted.
public enum WebURLError: Error, Sendable, Hashable {
    /// It is longer than ``WebURL/maximumSize``.
    case tooLong
    /// It begins with neither `https://` nor `http://`.
    case schemeNotSupported
    /// A user name, or a password, stands before the host.
    case userInformation
    /// A part begins with `#`, which is never sent.
    case fragment
    /// The host is no name of letters, digits and hyphens, and no numeric address in its usual form.
    case hostNotAllowed
    /// The port is no number from 1 to 65535.
    case portNotAllowed
    /// Path or query have characters that would have to be escaped, or `.` and `..` as parts.
    case pathNotAllowed
}
