internal import HTTPServer
internal import TextCoding

/// The `Authorization` of a request (RFC 9110 section 11.6.2).
enum Authorization: Equatable {
    /// The name and secret of an OAuth client (RFC 6749 section 2.3.1).
    case basic(name: String, secret: String)
    /// An access token (RFC 6750 section 2.1).
    case bearer(String)
    /// A known scheme with other credentials, or several fields.
    case malformed
    /// Another scheme, or none.
    case unsupported

    /// Parses the field; nil if it is missing.
    init?(of request: HTTPRequest) {
        let values = request.headers.values("Authorization")
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            self = .malformed
            return
        }
        let space = value.utf8.firstIndex(of: UInt8(ascii: " ")) ?? value.endIndex
        let credentials = value[space...].trimmingSpaces()
        switch value[..<space].lowercased() {
        case "bearer":
            self = Self.isToken(credentials) ? .bearer(credentials) : .malformed
        case "basic":
            self = Self.basic(credentials) ?? .malformed
        default:
            self = .unsupported
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

    /// Base64 of name and secret, each form-encoded.
    private static func basic(_ text: String) -> Authorization? {
        guard text.utf8.count <= 2_048, let bytes = Base64.bytes(of: text, .standard),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let name = decoded(bytes[..<colon]), let secret = decoded(bytes[(colon + 1)...])
        else { return nil }
        return .basic(name: name, secret: secret)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        // `bytes` is marked unsafe because some elements have padding; bytes have none.
        unsafe try? FormText.text(bytes.span.bytes)
    }
}

/// The content types of requests.
enum MediaType: String {
    case form = "application/x-www-form-urlencoded"
    case json = "application/json"
    case bytes = "application/octet-stream"

    /// Whether a request has exactly one `Content-Type`, which is this type with no charset other
    /// than UTF-8.
    func isContent(of request: HTTPRequest) -> Bool {
        let values = request.headers.values("Content-Type")
        guard values.count == 1, let value = values.first else { return false }
        // Nearly every client sends this form.
        if value == rawValue { return true }
        let parts = value.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingSpaces().lowercased()
        }
        guard parts.first == rawValue else { return false }
        return parts.dropFirst().allSatisfy {
            !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0)
        }
    }
}

extension Substring {
    /// The text without surrounding spaces and tabs.
    func trimmingSpaces() -> String {
        // By bytes, as header fields are defined (RFC 9110 section 5.6.3).
        var bytes = utf8
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
