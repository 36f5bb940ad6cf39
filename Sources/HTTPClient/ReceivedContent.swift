internal import SecretMemory

/// The content of an answer as it comes, in guarded memory that grows.
struct ReceivedContent: ~Copyable {
    private static let firstSize = 4_096

    private var buffer: SecretBytes
    private let limit: Int
    private var count = 0

    /// Grows up to `limit` bytes.
    init(limit: Int) throws(SecretMemoryError) {
        self.limit = limit
        buffer = try SecretBytes(count: min(limit, Self.firstSize))
    }

    /// Adds bytes; they are all taken or none.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(HTTPClientError) {
        guard bytes.count <= limit - count else { throw .contentTooLarge }
        if bytes.count > buffer.count - count { try grow(to: count + bytes.count) }
        let offset = count
        buffer.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(
                    from: bytes)
            }
        }
        count += bytes.count
    }

    private mutating func grow(to size: Int) throws(HTTPClientError) {
        var larger: SecretBytes
        do {
            larger = try SecretBytes(count: min(limit, max(size, 2 * buffer.count)))
        } catch {
            throw .outOfMemory
        }
        buffer.withBytes { old in
            larger.withMutableBytes { new in
                unsafe new.withUnsafeMutableBytes { target in
                    unsafe old.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                }
            }
        }
        buffer = larger
    }

    /// What came.
    consuming func finish() -> SecretBytes {
        buffer.keep(count: count)
        return buffer
    }
}
