internal import Sealing

/// What is stored of a token or code: BLAKE2b-256 of its characters. Tokens are 256 random bits, so the hash needs no key and no salt.
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
