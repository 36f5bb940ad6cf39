public import SecretMemory
internal import TextCoding

/// A client secret in guarded memory: 1 to 1,024 bytes of printable ASCII (RFC 6749, appendix A.2).
public final class ClientSecret: Sendable, Hashable {
    /// The maximum size in bytes.
    public static let maximumSize = 1_024

    let value: SecretBytes

    /// Takes a secret; nil for an invalid one.
    public init?(_ value: consuming SecretBytes) {
        let isText = value.withBytes { bytes in
            (0..<bytes.byteCount).allSatisfy { (0x20...0x7E).contains(bytes[$0]) }
        }
        guard isText, (1...Self.maximumSize).contains(value.count) else { return nil }
        self.value = value
    }

    /// Compares in constant time.
    public static func == (left: ClientSecret, right: ClientSecret) -> Bool {
        left.value.isEqual(to: right.value)
    }

    /// Hashes only the size, so the hash does not depend on the secret.
    public func hash(into hasher: inout Hasher) { hasher.combine(value.count) }
}
