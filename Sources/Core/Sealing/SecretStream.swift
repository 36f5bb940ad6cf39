internal import CSodium
public import SecretMemory

/// A sequence of chunks sealed under one key. No chunk can be changed, omitted, repeated or moved, and a missing end is detected.
///
/// Each chunk is ``overhead`` bytes longer than its plaintext. Not thread-safe. The corresponding C functions are those of
/// `crypto_secretstream_xchacha20poly1305`.
public enum SecretStream {
    /// The size of the key, in bytes.
    public static let keySize = 32
    /// The size of the header, in bytes.
    public static let headerSize = 24
    /// The difference in size between a chunk and its plaintext, in bytes.
    public static let overhead = 17

    /// Allocates the state in guarded memory, because it contains a key.
    fileprivate static func emptyState() throws -> SecretBytes {
        try SecretBytes(count: MemoryLayout<crypto_secretstream_xchacha20poly1305_state>.size)
    }

    /// Seals chunks.
    public struct Writer: ~Copyable, Sendable {
        private var state: SecretBytes
        /// The header, which a reader needs. It is not secret.
        public let header: [UInt8]

        /// Begins a stream. libsodium generates the header.
        ///
        /// - Parameter key: 32 bytes, which must seal only this stream.
        /// - Throws: `SecretMemoryError.outOfMemory`.
        public init(key: borrowing SecretBytes) throws {
            precondition(key.count == keySize)
            var state = try SecretStream.emptyState()
            var header = [UInt8](repeating: 0, count: headerSize)
            key.withBytes { key in
                state.withMutableBytes { state in
                    unsafe key.withUnsafeBytes { key in
                        unsafe state.withUnsafeMutableBytes { state in
                            _ = unsafe crypto_secretstream_xchacha20poly1305_init_push(
                                state.stream, &header, key.bytes)
                        }
                    }
                }
            }
            StackTraces.wipe()
            self.state = state
            self.header = header
        }

        /// Seals the next chunk.
        ///
        /// - Parameters:
        ///   - plaintext: The bytes.
        ///   - context: The associated data, which the reader must know.
        ///   - isLast: Whether this chunk ends the stream.
        /// - Returns: The chunk.
        public mutating func seal(
            _ plaintext: RawSpan, _ context: [UInt8] = [], isLast: Bool
        ) -> [UInt8] {
            var chunk = [UInt8](repeating: 0, count: plaintext.byteCount + overhead)
            let tag =
                isLast
                ? crypto_secretstream_xchacha20poly1305_tag_final()
                : crypto_secretstream_xchacha20poly1305_tag_message()
            unsafe plaintext.withUnsafeBytes { plaintext in
                state.withMutableBytes { state in
                    unsafe state.withUnsafeMutableBytes { state in
                        _ = unsafe crypto_secretstream_xchacha20poly1305_push(
                            state.stream, &chunk, nil, plaintext.bytes, UInt64(plaintext.count),
                            context, UInt64(context.count), tag)
                    }
                }
            }
            StackTraces.wipe()
            return chunk
        }
    }

    /// Opens the chunks in order.
    public struct Reader: ~Copyable, Sendable {
        private var state: SecretBytes

        /// Begins to read a stream.
        ///
        /// - Parameters:
        ///   - header: 24 bytes.
        ///   - key: 32 bytes.
        /// - Throws: `SecretMemoryError.outOfMemory`.
        public init(header: [UInt8], key: borrowing SecretBytes) throws {
            precondition(header.count == headerSize && key.count == keySize)
            var state = try SecretStream.emptyState()
            key.withBytes { key in
                state.withMutableBytes { state in
                    unsafe key.withUnsafeBytes { key in
                        unsafe state.withUnsafeMutableBytes { state in
                            _ = unsafe crypto_secretstream_xchacha20poly1305_init_pull(
                                state.stream, header, key.bytes)
                        }
                    }
                }
            }
            StackTraces.wipe()
            self.state = state
        }

        /// Opens the next chunk into `buffer`, which must have the size of the plaintext.
        ///
        /// - Parameters:
        ///   - chunk: The chunk.
        ///   - context: Its associated data.
        ///   - buffer: Receives the plaintext.
        /// - Returns: Whether this chunk ends the stream.
        /// - Throws: `SealingError.doesNotOpen` for another key, position, context or tag, or any changed byte; the buffer is then zero.
        public mutating func open(
            _ chunk: [UInt8], _ context: [UInt8] = [], into buffer: inout SecretBytes
        ) throws -> Bool {
            guard chunk.count >= overhead, buffer.count == chunk.count - overhead else {
                throw SealingError.doesNotOpen
            }
            let final = crypto_secretstream_xchacha20poly1305_tag_final()
            let message = crypto_secretstream_xchacha20poly1305_tag_message()
            var tag: UInt8 = 0
            let isAuthentic = buffer.withMutableBytes { buffer in
                state.withMutableBytes { state in
                    unsafe buffer.withUnsafeMutableBytes { buffer in
                        unsafe state.withUnsafeMutableBytes { state in
                            let status = unsafe crypto_secretstream_xchacha20poly1305_pull(
                                state.stream, buffer.bytes, nil, &tag, chunk, UInt64(chunk.count),
                                context, UInt64(context.count))
                            // The library's other tags are not used.
                            let isKnown = tag == final || tag == message
                            if status != 0 || !isKnown {
                                unsafe sodium_memzero(buffer.bytes, buffer.count)
                            }
                            return status == 0 && isKnown
                        }
                    }
                }
            }
            StackTraces.wipe()
            guard isAuthentic else { throw SealingError.doesNotOpen }
            return tag == final
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The state of a stream. It consists of bytes, so it needs no alignment.
    fileprivate var stream: UnsafeMutablePointer<crypto_secretstream_xchacha20poly1305_state> {
        unsafe UnsafeMutableRawPointer(bytes)
            .assumingMemoryBound(to: crypto_secretstream_xchacha20poly1305_state.self)
    }
}
