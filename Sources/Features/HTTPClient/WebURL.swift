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

/// The host and port of a URL.
enum WebHost {
    /// Reads the canonical host, and the port; a missing port is nil.
    static func read(_ bytes: ArraySlice<UInt8>) throws -> (String, UInt16?) {
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
                let host = address6(bytes[(bytes.startIndex + 1)..<end])
            else { throw HTTPClientError.address(.hostNotAllowed) }
            return (host, try port(bytes[(end + 1)...]))
        }
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        guard let host = name(bytes[..<end]) else { throw HTTPClientError.address(.hostNotAllowed) }
        return (host, try port(bytes[end...]))
    }

    static func isLoopbackIPv4(_ host: String) -> Bool {
        isAddress4(host) && host.utf8.starts(with: "127.".utf8)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// A hexadecimal digit in upper case; nil for any other byte.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte }
        let capital = byte & ~0x20
        return (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(capital) ? capital : nil
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func port(_ bytes: ArraySlice<UInt8>) throws -> UInt16? {
        guard let colon = bytes.first else { return nil }
        let digits = bytes.dropFirst()
        guard colon == UInt8(ascii: ":"), !digits.isEmpty, digits.allSatisfy(isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw HTTPClientError.address(.portNotAllowed) }
        return port
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= 253, let last = labels.last, labels.allSatisfy(isLabel) else {
            return nil
        }
        let host = String(decoding: bytes.map(lower), as: UTF8.self)
        // The C library reads 127.1, 0x7f000001 and 2130706433 as addresses. A host whose end looks
        // like a number must therefore be an address in its usual form.
        let isNumeric =
            last.allSatisfy(isDigit) || host.utf8.starts(with: "0x".utf8)
            || last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return isNumeric && !isAddress4(host) ? nil : host
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
    }

    /// Whether the host is four decimal numbers without leading zeros.
    private static func isAddress4(_ host: String) -> Bool {
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard (1...3).contains(part.count), part.allSatisfy(isDigit) else { return false }
                return (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && UInt8(String(Substring(part))) != nil
            }
    }

    private static func address6(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        var address = in6_addr()
        guard !bytes.contains(0), unsafe inet_pton(AF_INET6, text, &address) == 1 else {
            return nil
        }
        var result = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, &address, &result, socklen_t(result.count)) != nil else {
            return nil
        }
        return String(
            decoding: result.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
