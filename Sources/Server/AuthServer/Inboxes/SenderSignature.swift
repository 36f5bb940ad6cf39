internal import CSodium
internal import HTTPServer
internal import Passkeys
internal import TextCoding

/// The key of a sender, which restricts a subscription (RFC 8292, section 4): a point of P-256.
struct SenderKey {
    /// The 65 bytes of the uncompressed point.
    let bytes: [UInt8]
    private let key: CredentialKey

    /// Creates a key from the bytes of a point; nil for other bytes.
    ///
    /// - Throws: `PasskeyError.libraryMissing`.
    init?(_ bytes: [UInt8]) throws {
        guard bytes.count == 65, bytes[0] == 4 else { return nil }
        self.bytes = bytes
        // The COSE_Key has kty EC2, alg ES256, crv P-256, x and y.
        var cose: [UInt8] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        cose += bytes[1..<33]
        cose += [0x22, 0x58, 0x20]
        cose += bytes[33...]
        do {
            key = try CredentialKey(cose)
        } catch PasskeyError.unsupportedKey {
            return nil
        }
    }

    /// Whether an ECDSA signature with SHA-256 in the JWS format (RFC 7518, section 3.4) is valid
    /// for this key.
    ///
    /// - Throws: `PasskeyError.libraryMissing`.
    func verifies(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
        guard signature.count == 64 else { return false }
        let numbers = Self.integer(signature[..<32]) + Self.integer(signature[32...])
        return try key.verifies([0x30, UInt8(numbers.count)] + numbers, of: message)
    }

    /// An unsigned number in DER.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let number = Array(bytes.drop { $0 == 0 })
        let content = (number.first ?? 0x80) >= 0x80 ? [0] + number : number
        return [2, UInt8(content.count)] + content
    }
}

/// The identification of a sender by a signed token (VAPID, RFC 8292).
struct SenderSignature {
    /// The longest token, in bytes.
    private static let maximumSize = 4_096
    /// The accepted clock difference, in seconds.
    private static let leeway: Int64 = 60
    /// The longest accepted time until a token expires, in seconds (section 2).
    private static let longestLife: Int64 = 24 * 60 * 60

    private let token: String
    private let key: [UInt8]

    /// Parses the `Authorization` of a request; nil if it is not `vapid` (section 3).
    init?(of request: HTTPRequest) {
        let values = request.headers.values("Authorization")
        guard values.count == 1, let value = values.first, value.utf8.count <= Self.maximumSize,
            let space = value.utf8.firstIndex(of: UInt8(ascii: " ")),
            value[..<space].lowercased() == "vapid"
        else { return nil }
        var parameters: [String: String] = [:]
        for part in value[space...].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingSpaces() }
            // Each parameter occurs once (RFC 9110, section 11.2).
            guard pair.count == 2,
                parameters.updateValue(Self.unquoted(pair[1]), forKey: pair[0].lowercased()) == nil
            else { return nil }
        }
        guard let token = parameters["t"],
            let key = parameters["k"].flatMap({ Base64URL.bytes($0) })
        else { return nil }
        self.token = token
        self.key = key
    }

    private static func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        return String(text.dropFirst().dropLast())
    }

    /// Whether the token is signed by this key, for this server, and currently valid.
    ///
    /// - Parameters:
    ///   - bound: The key of the subscription.
    ///   - origin: The origin of its URL.
    ///   - now: The current time.
    /// - Returns: Whether the token is valid.
    /// - Throws: `PasskeyError.libraryMissing`.
    func isValid(by bound: [UInt8], at origin: String, _ now: PointInTime) throws -> Bool {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard key == bound, parts.count == 3, let header = Base64URL.bytes(String(parts[0])),
            let claims = Base64URL.bytes(String(parts[1])),
            let signature = Base64URL.bytes(String(parts[2])),
            unsafe Self.isHeader(header.span.bytes),
            unsafe Self.areClaims(claims.span.bytes, origin, now.seconds)
        else { return false }
        return try SenderKey(bound)?.verifies(
            signature, of: Array("\(parts[0]).\(parts[1])".utf8)) ?? false
    }

    private static func isHeader(_ bytes: RawSpan) -> Bool {
        members(bytes)?["alg"] == .text("ES256")
    }

    private static func areClaims(_ bytes: RawSpan, _ origin: String, _ now: Int64) -> Bool {
        guard let claims = members(bytes), claims["aud"] == .text(origin),
            case .number(let end)? = claims["exp"], case .text(let contact)? = claims["sub"]
        else { return false }
        return end > now - leeway && end <= now + longestLife + leeway
            && (contact.hasPrefix("mailto:") || contact.hasPrefix("https:"))
    }

    private enum Member: Equatable {
        case text(String)
        case number(Int64)
        case other
    }

    /// The members of an object; nil for another value, or if a member is repeated.
    private static func members(_ bytes: RawSpan) -> [String: Member]? {
        do {
            var reader = JSONReader<ContentError>(bytes)
            var members: [String: Member] = [:]
            while let key = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
                let member: Member
                switch try reader.nextKind(in: bytes) {
                case .string: member = .text(try reader.text(in: bytes))
                case .number:
                    let text = try reader.numberText(in: bytes)
                    member = Self.whole(text).map { .number($0) } ?? .other
                default:
                    try reader.skipValue(in: bytes)
                    member = .other
                }
                guard members.updateValue(member, forKey: key) == nil else { return nil }
            }
            try reader.expectEnd(in: bytes)
            return members
        } catch {
            return nil
        }
    }

    /// A number without its fraction; nil if it is outside the range of times.
    private static func whole(_ text: String) -> Int64? {
        guard let number = Double(text), abs(number) < 1e12 else { return nil }
        return Int64(number.rounded(.down))
    }
}

/// Base64 for URLs without padding (RFC 4648, section 5).
enum Base64URL {
    /// The bytes of a text; nil for any other text.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: text.utf8.count)
        var size = 0
        let status = unsafe sodium_base642bin(
            &bytes, bytes.count, text, text.utf8.count, nil, &size, nil,
            sodium_base64_VARIANT_URLSAFE_NO_PADDING)
        return status == 0 ? Array(bytes[..<size]) : nil
    }
}
