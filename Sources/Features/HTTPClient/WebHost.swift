internal import Platform

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
