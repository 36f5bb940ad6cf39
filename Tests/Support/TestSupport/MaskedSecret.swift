package import SecretMemory

/// A secret that a process knows without a copy in its memory: each byte is combined with a mask.
///
/// Handles one byte at a time, so that no eight of them are ever adjacent in a register or on the stack.
package struct MaskedSecret: Sendable {
    /// The mask of each byte, by position modulo 8; random in each run.
    package static let mask: [UInt8] = RandomSource.system.bytes(count: 8)
    /// The mask as the integer loaded from eight masked bytes.
    package static let maskWord = word { mask[$0] }

    package let name: String
    private let masked: [UInt8]

    package init(_ name: String, _ secret: RawSpan) {
        self.name = name
        masked = (0..<secret.byteCount).map { offset in
            unsafe secret.unsafeLoad(fromByteOffset: offset, as: UInt8.self) ^ Self.mask[offset % 8]
        }
    }

    package init(_ name: String, _ secret: borrowing SecretBytes) {
        self = secret.withBytes { MaskedSecret(name, $0) }
    }

    private init(name: String, masked: [UInt8]) {
        self.name = name
        self.masked = masked
    }

    /// The same secret under another name.
    package func named(_ name: String) -> MaskedSecret { MaskedSecret(name: name, masked: masked) }

    /// All eight-byte windows of the secret, combined with ``maskWord``.
    package var windows: [UInt64] {
        (0...(masked.count - 8)).map { start in
            Self.word { offset in
                masked[start + offset] ^ Self.mask[(start + offset) % 8] ^ Self.mask[offset]
            }
        }
    }

    /// The secret itself, in guarded memory, as if typed again.
    package func reveal() throws -> SecretBytes {
        var secret = try SecretBytes(count: masked.count)
        secret.withMutableBytes { bytes in
            for offset in masked.indices {
                bytes.storeBytes(
                    of: masked[offset] ^ Self.mask[offset % 8], toByteOffset: offset, as: UInt8.self
                )
            }
        }
        return secret
    }

    private static func word(_ byte: (Int) -> UInt8) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(byte($1)) << UInt64(8 * $1) }
    }
}
