public import SecretMemory

/// Sealed blobs: XChaCha20-Poly1305 with a random nonce and a context as associated data.
///
/// The form of a blob: nonce[24] ‖ ciphertext ‖ tag[16].
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
        var blob = zeros(count: overhead + plaintext.byteCount)
        unsafe blob.withUnsafeMutableBytes { blob in
            var nonce = unsafe MutableRawSpan(
                _unsafeBytes: UnsafeMutableRawBufferPointer(rebasing: blob[..<nonceSize]))
            random.overwrite(&nonce)
        }
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

    // Not inlined: inside the generic function above, it would look up the type of its array at each call.
    @inline(never)
    private static func zeros(count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Opens a blob into `buffer`, which must have the size of the plaintext.
    ///
    /// - Throws: `SealingError.doesNotOpen` for another key or context, or any changed byte; the buffer is then zero.
    public static func open<Use: SealingPurpose>(
        _ blob: [UInt8], under key: borrowing Key<Use>, _ context: SealContext,
        into buffer: inout SecretBytes
    ) throws {
        guard blob.count >= overhead, buffer.count == blob.count - overhead else {
            throw SealingError.doesNotOpen
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
        guard isAuthentic else { throw SealingError.doesNotOpen }
    }

    /// Seals padded data, so that the blob reveals only its approximate size.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public static func sealPadded<Use: SealingPurpose>(
        _ data: RawSpan, under key: borrowing Key<Use>, _ context: SealContext,
        random: RandomSource
    ) throws -> [UInt8] {
        // A closure cannot capture a span; the address stays valid while `data` is borrowed.
        try unsafe data.withUnsafeBytes { source in
            try SecretBufferPool.shared.withBuffer(
                count: Padding.paddedSize(forDataOf: source.count)
            ) { buffer in
                buffer.withMutableBytes { padded in
                    unsafe Padding.fill(&padded, with: RawSpan(_unsafeBytes: source))
                }
                return buffer.withBytes { seal($0, under: key, context, random: random) }
            }
        }
    }

    /// Opens a padded blob into guarded memory and calls `body` with the data.
    ///
    /// The buffer is wiped when `body` returns.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: `SealingError.doesNotOpen` or `padding`; `SecretMemoryError.outOfMemory`; or the error of `body`.
    public static func withOpenedPadded<Use: SealingPurpose, Result: ~Copyable>(
        _ blob: [UInt8], under key: borrowing Key<Use>, _ context: SealContext,
        _ body: (borrowing SecretBytes) throws -> Result
    ) throws -> Result {
        guard blob.count >= overhead else { throw SealingError.doesNotOpen }
        return try SecretBufferPool.shared.withBuffer(count: blob.count - overhead) { buffer in
            try open(blob, under: key, context, into: &buffer)
            guard let size = buffer.withBytes({ Padding.dataSize(in: $0) }) else {
                throw SealingError.padding
            }
            buffer.keep(from: Padding.prefixSize, count: size)
            return try body(buffer)
        }
    }
}

extension Sealing {
    /// The size of the buffer of ``openPaddedAttributes(_:under:_:in:_:)`` that suffices for all but large attributes, in bytes.
    package static let attributesBufferSize = 4_096

    /// As ``withOpenedPadded(_:under:_:_:)``, for callers that open the attributes of many items one after another in one buffer.
    ///
    /// - Parameters:
    ///   - blob: The blob.
    ///   - key: The key.
    ///   - context: The context of its sealing.
    ///   - buffer: Gets the data while `body` runs, and is empty and wiped then. A larger one replaces one that is too small.
    ///   - body: Gets the data.
    /// - Throws: As ``withOpenedPadded(_:under:_:_:)``.
    package static func openPaddedAttributes(
        _ blob: [UInt8], under key: borrowing AttributeKey, _ context: SealContext,
        in buffer: inout SecretBytes, _ body: (RawSpan) throws -> Void
    ) throws {
        guard blob.count >= overhead else { throw SealingError.doesNotOpen }
        let size = blob.count - overhead
        if buffer.capacity < size { buffer = try SecretBytes(count: size) }
        buffer.resize(to: size)
        defer { buffer.resize(to: 0) }
        try open(blob, under: key, context, into: &buffer)
        try buffer.withBytes { padded in
            guard let size = Padding.dataSize(in: padded) else { throw SealingError.padding }
            try body(padded.extracting(Padding.prefixSize..<(Padding.prefixSize + size)))
        }
    }
}

extension SealContext {
    /// Calls `body` with the associated data.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.span.bytes.extracting(first: size).withUnsafeBytes { unsafe body($0) }
    }
}

/// Why sealing, opening or deriving failed. No case carries a secret.
public enum SealingError: Error, Sendable, Hashable {
    /// A sealed blob is too short, or does not open under this key and context.
    case doesNotOpen
    /// The opened data has padding that is invalid for its length.
    case padding
    /// A passphrase is empty or exceeds ``Passphrase/maximumSize`` bytes in normalisation form C.
    case passphraseLength
    /// A passphrase is not UTF-8.
    case passphraseEncoding
    /// A recovery code has the wrong number of characters, an invalid character, or nonzero filler bits.
    case recoveryCodeMalformed
    /// The check characters of a recovery code do not match: a typing error.
    case recoveryCodeCheck
    /// A derivation cost is below the minimum.
    case costTooLow
    /// A derivation cost is above a maximum.
    case costTooHigh
    /// libsodium fails its known-answer tests (``CryptographicLibrary``) and must not be used.
    case libraryFails
    /// Memory does not suffice for a derivation. Guarded memory has its own error, `SecretMemoryError`.
    case outOfMemory
}
