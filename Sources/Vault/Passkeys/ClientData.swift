internal import TextCoding

/// The browser's description of a ceremony, `clientDataJSON` (WebAuthn Level 3, section 5.8.1). Unknown members are skipped.
package struct ClientData: Sendable, Hashable {
    package let type: String
    /// The challenge, in base64url without padding.
    package let challenge: String
    package let origin: String
    /// Whether the page is embedded in a page of another origin.
    package let isCrossOrigin: Bool

    /// Parses a JSON object. Known members must not be repeated.
    ///
    /// - Throws: ``PasskeyError/malformed``.
    package init(_ bytes: [UInt8]) throws {
        let text = unsafe bytes.span.bytes
        var reader = JSONReader<PasskeyError>(text)
        var (type, challenge, origin): (String?, String?, String?)
        var (crossOrigin, hasTopOrigin, isFirst): (Bool?, Bool, Bool) = (nil, false, true)
        while let key = try reader.nextKey(in: text, isFirst: isFirst) {
            isFirst = false
            switch key {
            case "type" where type == nil: type = try reader.text(in: text)
            case "challenge" where challenge == nil: challenge = try reader.text(in: text)
            case "origin" where origin == nil: origin = try reader.text(in: text)
            case "crossOrigin" where crossOrigin == nil:
                crossOrigin = try reader.boolean(in: text)
            case "topOrigin" where !hasTopOrigin:
                hasTopOrigin = true
                try reader.skipString(in: text)
            case "type", "challenge", "origin", "crossOrigin", "topOrigin":
                throw PasskeyError.malformed
            default: try reader.skipValue(in: text)
            }
        }
        try reader.expectEnd(in: text)
        guard let type, let challenge, let origin else { throw PasskeyError.malformed }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        isCrossOrigin = crossOrigin ?? false || hasTopOrigin
    }
}

extension PasskeyError: JSONReadingFailure {
    package static func invalidJSON(line: Int) -> PasskeyError { .malformed }
}
