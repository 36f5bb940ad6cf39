internal import CSodium
internal import HTTPServer

/// What a request's `Authorization` says (RFC 9110 section 11.6.2).
enum Authorization: Equatable {
    /// The name and secret of an OAuth client (RFC 6749 section 2.3.1).
    case basic(name: String, secret: String)
    /// An access token (RFC 6750 section 2.1).
    case bearer(String)
    /// Something else, or more than one.
    case malformed

    /// Reads it; nil where there is none.
    init?(of request: HTTPRequest) {
        let values = request.headers.values("Authorization")
        guard let value = values.first else { return nil }
        guard values.count == 1, let space = value.utf8.firstIndex(of: UInt8(ascii: " ")) else {
            self = .malformed
            return
        }
        let credentials = value[space...].trimmingSpaces()
        switch value[..<space].lowercased() {
        case "bearer":
            self = Self.isToken(credentials) ? .bearer(credentials) : .malformed
        case "basic":
            self = Self.basic(credentials) ?? .malformed
        default:
            self = .malformed
        }
    }

    /// `b64token` of RFC 6750.
    private static func isToken(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-._~+/=".utf8.contains(byte)
                }
            }
    }

    /// Base64 of name and secret, each encoded as in a form.
    private static func basic(_ text: String) -> Authorization? {
        guard text.utf8.count <= 2_048 else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.utf8.count)
        var size = 0
        let status = unsafe sodium_base642bin(
            &bytes, bytes.count, text, text.utf8.count, nil, &size, nil,
            sodium_base64_VARIANT_ORIGINAL)
        guard status == 0, let colon = bytes[..<size].firstIndex(of: UInt8(ascii: ":")),
            let name = decoded(bytes[..<colon]), let secret = decoded(bytes[(colon + 1)..<size])
        else { return nil }
        return .basic(name: name, secret: secret)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        // `bytes` is marked unsafe because some elements have padding; bytes have none.
        unsafe try? FormText.text(bytes.span.bytes)
    }
}
