public import SecretMemory

/// Sealed blobs: XChaCha20-Poly1305 with a random nonce and a context as associated data.
///
/// nonce[24] ‖ ciphertext ‖ tag[16].
public enum Sealing {
    /// The difference in size between a blob and its plaintext, in bytes.
    public static let overhead = nonceSize + tagSize
    static let nonceSize = AEAD.nonceSize
    static let tagSize = AEAD.tagSize

    /// Seals bytes without padding.
    ///
    /// - Returns: The blob, `overhead` bytes longer than the plaintext.
    public static func seal<Use: SealingPurpose>(
        _ plaintext: RawSpan, under key: borrowing Key<Use>, _ context: SealContext,
        random: RandomSource
    ) -> [UInt8] {
        var blob = random.bytes(count: nonceSize)
        blob += repeatElement(0, count: plaintext.byteCount + tagSize)
        key.withBytes { key in
            unsafe context.withUnsafeBytes { context in
                unsafe plaintext.withUnsafeBytes { plaintext in
                    unsafe key.withUnsafeBytes { key in
                        unsafe blob.withUnsafeMutableBytes { blob in
                            unsafe AEAD.seal(
                                plaintext, key: key,
                                nonce: UnsafeRawBufferPointer(rebasing: blob[..<nonceSize]),
                                associatedData: context,
                                into: UnsafeMutableRawBufferPointer(rebasing: blob[nonceSize...]))
                        }
                    }
                }
            }
        }
        return blob
    }

    /// Opens a blob into `buffer`, which must have the size of the plaintext.
    ///
    /// - Throws: `SealingError.doesNotOpen` if key, context or any byte differs; the buffer is then zero.
    public static func open<Use: SealingPurpose>(
        _ blob: [UInt8], under key: borrowing Key<Use>, _ context: SealContext,
        into buffer: inout SecretBytes
    ) throws(SealingError) {
        guard blob.count >= overhead, buffer.count == blob.count - overhead else {
            throw .doesNotOpen
        }
        let isAuthentic = key.withBytes { key in
            buffer.withMutableBytes { buffer in
                unsafe context.withUnsafeBytes { context in
                    unsafe key.withUnsafeBytes { key in
                        unsafe buffer.withUnsafeMutableBytes { buffer in
                            unsafe blob.withUnsafeBytes { blob in
                                unsafe AEAD.open(
                                    UnsafeRawBufferPointer(rebasing: blob[nonceSize...]), key: key,
                                    nonce: UnsafeRawBufferPointer(rebasing: blob[..<nonceSize]),
                                    associatedData: context, into: buffer)
                            }
                        }
                    }
                }
            }
        }
        guard isAuthentic else { throw .doesNotOpen }
    }

    /// Seals padded data, so that the blob reveals only its approximate size.
    ///
    /// - Throws: `SealingError.outOfMemory`.
    public static func sealPadded<Use: SealingPurpose>(
        _ data: RawSpan, under key: borrowing Key<Use>, _ context: SealContext,
        random: RandomSource
    ) throws(SealingError) -> [UInt8] {
        // A closure cannot capture a span; the address stays valid while `data` is borrowed.
        try unsafe data.withUnsafeBytes { (source) throws(SealingError) in
            try SecretBufferPool.shared.withBuffer(
                count: Padding.paddedSize(forDataOf: source.count),
                mapError: { _ in .outOfMemory },
                { (buffer) throws(SealingError) in
                    buffer.withMutableBytes { padded in
                        unsafe Padding.fill(&padded, with: RawSpan(_unsafeBytes: source))
                    }
                    return buffer.withBytes { seal($0, under: key, context, random: random) }
                })
        }
    }

    /// Opens a padded blob and lends the data in guarded memory.
    ///
    /// `body` gets the data; the buffer is wiped when it returns.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: `doesNotOpen`, `padding`, `outOfMemory`, through `mapError`; or the error of `body`.
    public static func withOpenedPadded<Use: SealingPurpose, Result: ~Copyable, Failure: Error>(
        _ blob: [UInt8], under key: borrowing Key<Use>, _ context: SealContext,
        mapError: (SealingError) -> Failure,
        _ body: (borrowing SecretBytes) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard blob.count >= overhead else { throw mapError(.doesNotOpen) }
        return try SecretBufferPool.shared.withBuffer(
            count: blob.count - overhead,
            mapError: { _ in mapError(.outOfMemory) },
            { (buffer) throws(Failure) in
                do throws(SealingError) {
                    try open(blob, under: key, context, into: &buffer)
                } catch {
                    throw mapError(error)
                }
                guard let size = buffer.withBytes({ Padding.dataSize(in: $0) }) else {
                    throw mapError(.padding)
                }
                buffer.keep(from: Padding.prefixSize, count: size)
                return try body(buffer)
            })
    }
}

extension SealContext {
    /// Lends the associated data.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.span.bytes.extracting(first: size).withUnsafeBytes { unsafe body($0) }
    }
}
