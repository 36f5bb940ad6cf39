internal import Platform
internal import SecretMemory
internal import SecureStorage

/// A secret on its way to its reader: in the caller's pooled buffer if it is small enough.
final class FoundSecret {
    /// The largest value that needs no allocation, in bytes.
    static let smallValue = 8 * 1_024

    let item: SecretItem
    private var large: SecretBytes?

    /// Keeps a copy of the value. `buffer` has ``smallValue`` bytes.
    init(
        _ item: SecretItem, _ value: borrowing SecretBytes, _ buffer: inout SecretBytes
    ) throws(SecureStoreError) {
        self.item = item
        if value.count <= buffer.count {
            value.withBytes { bytes in buffer.keep(copyOf: bytes) }
            return
        }
        do {
            large = try value.copy()
        } catch {
            throw SecureStoreError(translating: error)
        }
    }

    /// Calls `body` once with the value, and wipes a large one. `buffer` is the one of the beginning.
    func withValue<Result: ~Copyable, Failure: Error>(
        in buffer: borrowing SecretBytes,
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if let large = large.take() { return try body(large) }
        return try body(buffer)
    }
}

extension SecretBytes {
    /// Overwrites the beginning with other bytes, and keeps only these.
    mutating func keep(copyOf bytes: RawSpan) {
        withMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe target.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
            }
        }
        platform_wipe_vector_registers()
        keep(count: bytes.byteCount)
    }
}
