internal import SecretMemory
internal import TextCoding

/// A token or code as it is handed out: a prefix that says what it is, which people and scanners for leaked secrets recognise, and 256 random
/// bits in base64url. Whoever has it may; only its hash is stored.
///
/// It is found by its hash, so comparing takes a time that tells nothing of any other token.
struct SecretToken: Sendable {
    /// What it is good for.
    enum Kind: String, Sendable {
        case access = "tva_"
        case refresh = "tvr_"
        case invitation = "tvi_"
    }

    static let randomSize = 32
    /// The size of all tokens, in characters.
    static let size = 4 + 43

    let kind: Kind
    let text: String
    var hash: TokenHash { TokenHash(of: text) }

    /// Makes a new one.
    init(_ kind: Kind, random: RandomSource) {
        self.kind = kind
        let bytes = random.bytes(count: Self.randomSize)
        var encoded = [UInt8](repeating: 0, count: Base64.size(encoding: bytes.count))
        var elements = encoded.mutableSpan
        var output = unsafe elements.mutableBytes
        unsafe Base64.encode(bytes.span.bytes, into: &output)
        text =
            kind.rawValue
            + String(decoding: encoded.compactMap(Self.letterOfURL), as: UTF8.self)
    }

    /// Reads what somebody sent; nil for what no token looks like.
    init?(_ sent: String) {
        guard sent.utf8.count == Self.size, let kind = Kind(rawValue: String(sent.prefix(4)))
        else { return nil }
        self.kind = kind
        text = sent
    }

    /// The letter of base64url (RFC 4648, section 5) for one of base64; nil for padding.
    private static func letterOfURL(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "="): nil
        default: letter
        }
    }
}
