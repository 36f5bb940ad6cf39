internal import HTTPServer
internal import LibCrypto
internal import TextCoding

/// The key of a sender, which restricts a subscription (RFC 8292, section 4): a point of P-256.
struct SenderKey {
    /// The 65 bytes of the uncompressed point.
    let bytes: [UInt8]

    /// Creates a key from the bytes of a point; nil for other bytes.
    ///
    /// - Throws: `LibCryptoError.missing`.
    init?(_ bytes: [UInt8]) throws {
        guard try P256.isPoint(bytes) else { return nil }
        self.bytes = bytes
    }

    /// Verifies an ECDSA signature with SHA-256 in the form of JWS (RFC 7518, section 3.4).
    ///
    /// - Throws: `LibCryptoError.missing`.
    func verifies(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
        guard let signature = P256.signature(ofNumbers: signature) else { return false }
        return try P256.verifies(signature, of: message, by: bytes)
    }
}

/// The identification of a sender by a signed token (VAPID, RFC 8292).
struct SenderSignature {
    /// The longest token, in bytes.
    private static let maximumSize = 4_096
    /// The largest number of parameters; senders have two.
    private static let maximumParameters = 8
    private static let space = UInt8(ascii: " ")
    /// The accepted clock difference, in seconds.
    private static let leeway: Int64 = 60
    /// The longest accepted time until a token expires, in seconds (section 2).
    private static let longestLife: Int64 = 24 * 60 * 60

    private let token: String
    private let key: [UInt8]

    /// Parses the `Authorization` of a request; nil if it is not `vapid` (section 3).
    ///
    /// Works on bytes: a stranger's header can be one long parameter or hundreds, and a `Character` costs many times as much.
    init?(of request: HTTPRequest) {
        let values = request.headers.values("Authorization")
        guard values.count == 1, let value = values.first, value.utf8.count <= Self.maximumSize
        else { return nil }
        let bytes = Array(value.utf8)
        guard let space = bytes.firstIndex(of: Self.space),
            Self.name(bytes[..<space]) == "vapid"
        else { return nil }
        let parts = bytes[space...].split(
            separator: Byte.comma, maxSplits: Self.maximumParameters,
            omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumParameters else { return nil }
        var parameters: [String: ArraySlice<UInt8>] = [:]
        for part in parts {
            guard let sign = part.firstIndex(of: UInt8(ascii: "=")),
                let name = Self.name(Self.trimmed(part[..<sign])),
                // Each parameter occurs once (RFC 9110, section 11.2).
                parameters.updateValue(
                    Self.unquoted(Self.trimmed(part[(sign + 1)...])), forKey: name) == nil
            else { return nil }
        }
        guard let token = parameters["t"], let keyText = parameters["k"],
            let key = Base64.bytes(of: String(decoding: keyText, as: UTF8.self), .url)
        else { return nil }
        self.token = String(decoding: token, as: UTF8.self)
        self.key = key
    }

    /// A scheme or the name of a parameter in lower case; nil if it is longer than any that is known.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.count <= 64 ? String(decoding: bytes, as: UTF8.self).lowercased() : nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == UInt8(ascii: "\t") }
        let start = bytes.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) } ?? start.startIndex - 1
        return start[..<(end + 1)]
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard bytes.count >= 2, bytes.first == Byte.quote, bytes.last == Byte.quote else {
            return bytes
        }
        return bytes.dropFirst().dropLast()
    }

    /// Whether the token is signed by this key, for this server, and currently valid.
    ///
    /// - Parameters:
    ///   - bound: The key of the subscription.
    ///   - origin: The origin of its URL.
    ///   - now: The current time.
    /// - Returns: Whether the token is valid.
    /// - Throws: `LibCryptoError.missing`.
    func isValid(by bound: [UInt8], at origin: String, _ now: PointInTime) throws -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard key == bound, parts.count == 3, let header = Base64.bytes(of: String(parts[0]), .url),
            let claims = Base64.bytes(of: String(parts[1]), .url),
            let signature = Base64.bytes(of: String(parts[2]), .url),
            unsafe Self.isHeader(header.span.bytes),
            unsafe Self.areClaims(claims.span.bytes, origin, now.seconds)
        else { return false }
        return try SenderKey(bound)?.verifies(
            signature, of: Array("\(parts[0]).\(parts[1])".utf8)) ?? false
    }

    private static func isHeader(_ bytes: RawSpan) -> Bool {
        JSONObject(bytes)?.text("alg", in: bytes) == "ES256"
    }

    private static func areClaims(_ bytes: RawSpan, _ origin: String, _ now: Int64) -> Bool {
        guard let claims = JSONObject(bytes), claims.text("aud", in: bytes) == origin,
            let end = claims.numberText("exp", in: bytes).flatMap(whole),
            let contact = claims.text("sub", in: bytes)
        else { return false }
        return end > now - leeway && end <= now + longestLife + leeway
            && (contact.hasPrefix("mailto:") || contact.hasPrefix("https:"))
    }

    /// A number without its fraction; nil if it is outside the range of times.
    private static func whole(_ text: String) -> Int64? {
        guard let number = Double(text), abs(number) < 1e12 else { return nil }
        return Int64(number.rounded(.down))
    }
}
