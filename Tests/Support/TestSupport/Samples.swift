package import SecretMemory
package import SecureStorage

/// Secrets and names for many tests.
package enum Samples {
    /// Sizes around the padding steps, and contents that text processing would damage.
    package static let values: [[UInt8]] =
        [
            [], [0], [0x0A], Array("secret".utf8), Array("caf\u{E9} \u{1F512}".utf8),
            [0xFF, 0xFE, 0x00, 0x80], Array("with line end\r\n".utf8),
        ] + [59, 60, 61, 4_091, 4_092, 4_093, 70_000].map { [UInt8](repeating: 0xA5, count: $0) }

    /// A name that most tests use.
    package static let name: SecretName = {
        do {
            return try SecretName(service: "service", account: "account")
        } catch {
            preconditionFailure("a plain name is acceptable")
        }
    }()

    /// The name of a file.
    package static let fileName: SecretName = {
        do {
            return try SecretName(
                service: "taskvault.file", account: String(repeating: "0a", count: 16))
        } catch {
            preconditionFailure("a plain name is acceptable")
        }
    }()

    /// The value of a file (`Docs/Format.md`, section 13), whose version id repeats a byte.
    package static func file(version: UInt8, chunks: UInt32) throws -> SecretBytes {
        var writer = ByteWriter()
        writer.integer(UInt32(1))
        writer.raw([UInt8](repeating: version, count: 16))
        writer.raw([UInt8](repeating: 0, count: 32 + 24))
        writer.integer(UInt64(chunks) * 65_536)
        writer.integer(chunks)
        writer.text("text/plain")
        writer.text("")
        return try secret(writer.bytes)
    }

    /// The one byte 1.
    package static func one() throws -> SecretBytes { try secret([1]) }
    /// The two bytes 2.
    package static func two() throws -> SecretBytes { try secret([2, 2]) }

    /// A secret of these bytes.
    package static func secret(_ bytes: [UInt8]) throws -> SecretBytes {
        try SecretBytes(copying: unsafe bytes.span.bytes)
    }

    /// A secret of this text.
    package static func secret(_ text: String) throws -> SecretBytes {
        try secret(Array(text.utf8))
    }

    /// The bytes of a secret, for comparison.
    package static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
        secret.withBytes { span in
            unsafe span.withUnsafeBytes { source in
                // All empty arrays share one storage, and Swift would write to it here: a race for the thread sanitizer.
                if unsafe source.isEmpty { return [] }
                return unsafe [UInt8](unsafeUninitializedCapacity: source.count) { target, count in
                    unsafe UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
                    count = source.count
                }
            }
        }
    }
}
