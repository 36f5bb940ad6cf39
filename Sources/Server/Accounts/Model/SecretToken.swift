internal import Sealing
internal import SecretMemory
internal import TextCoding

/// A token or code as the client gets it: a prefix that names its kind, for people and secret scanners, and 256 random bits in base64url. Only its
/// hash is stored.
///
/// It is looked up by its hash, so the time of a comparison reveals nothing about other tokens.
struct SecretToken: Sendable {
    /// The kind of a token; the raw value is its prefix.
    enum Kind: String, Sendable {
        /// An access token (RFC 6749).
        case access = "tva_"
        /// A refresh token (RFC 6749).
        case refresh = "tvr_"
        /// An invitation code, which allows one person to create an account.
        case invitation = "tvi_"
        /// A device token, which identifies a device that signed in before.
        case device = "tvd_"
        /// A reset code, which allows one change of a forgotten password.
        case reset = "tvs_"
        /// The last part of the URL of a subscription.
        case endpoint = "tvp_"
        /// A receiving token, which can read the waiting messages of an inbox.
        case receiving = "tvl_"
        /// An acknowledging token, which can remove the waiting messages of an inbox.
        case acknowledging = "tvk_"
        /// A token of sync, which can read and write the blobs of an account.
        case syncing = "tvy_"
    }

    static let randomSize = 32
    /// The size of all tokens, in characters.
    static let size = 4 + 43

    let kind: Kind
    let text: String
    var hash: TokenHash { TokenHash(of: text) }

    /// Makes a new token.
    init(_ kind: Kind, random: RandomSource) {
        self.init(kind, bytes: random.bytes(count: Self.randomSize))
    }

    /// Makes a token of 32 bytes that cannot be guessed.
    init(_ kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        text = kind.rawValue + Base64.urlText(of: bytes)
    }

    /// Reads a sent token; nil if it has another form.
    init?(_ sent: String) {
        guard sent.utf8.count == Self.size, let kind = Kind(rawValue: String(sent.prefix(4)))
        else { return nil }
        self.kind = kind
        text = sent
    }
}

/// The stored hash of a token or code: BLAKE2b-256 of its characters. A token has 256 random bits, so the hash needs no key and no salt.
public struct TokenHash: Sendable, Hashable {
    /// The size in bytes.
    public static let size = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Hashes the characters of a token.
    public init(of token: String) {
        bytes = Blake2b.hash(size: Self.size) { $0.feed(token) }
    }

    /// Reads a hash as it is stored; nil for another size.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }
}
