internal import SecretMemory

/// The key by which a name without an account gets the cost of its decoy. All servers of one database have the same one, and nobody else knows it.
public struct DecoyKey: Sendable, Hashable {
    /// The size in bytes.
    public static let size = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Reads a key as it is stored; nil for another size.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// A new key.
    init(random: RandomSource) {
        bytes = random.bytes(count: Self.size)
    }
}
