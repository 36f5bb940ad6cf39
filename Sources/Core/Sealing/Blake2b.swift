internal import CSodium
public import SecretMemory

/// BLAKE2b (RFC 7693) by `crypto_generichash`, over a sequence of parts.
public enum Blake2b {
    /// The input of a hash.
    @safe public struct Input: ~Copyable {
        fileprivate let state: OpaquePointer

        /// Feeds bytes.
        public func feed(_ bytes: RawSpan) {
            unsafe bytes.withUnsafeBytes {
                _ = unsafe crypto_generichash_update(state, $0.bytes, UInt64($0.count))
            }
        }

        /// Feeds bytes.
        public func feed(_ bytes: [UInt8]) {
            unsafe bytes.withUnsafeBytes {
                _ = unsafe crypto_generichash_update(state, $0.bytes, UInt64($0.count))
            }
        }

        /// Feeds the UTF-8 bytes of a text.
        public func feed(_ text: String) {
            var text = text
            text.withUTF8 {
                _ = unsafe crypto_generichash_update(
                    state, UnsafeRawBufferPointer($0).bytes, UInt64($0.count))
            }
        }

        /// Feeds an integer, little-endian.
        public func feed(_ integer: UInt8) { feed(bytesOf: integer) }

        /// Feeds an integer, little-endian.
        public func feed(_ integer: UInt16) { feed(bytesOf: integer) }

        /// Feeds an integer, little-endian.
        public func feed(_ integer: UInt32) { feed(bytesOf: integer) }

        /// Feeds an integer, little-endian.
        public func feed(_ integer: UInt64) { feed(bytesOf: integer) }

        // Private, because another module would call the generic function through a witness table.
        private func feed(bytesOf integer: some FixedWidthInteger) {
            unsafe withUnsafeBytes(of: integer.littleEndian) {
                _ = unsafe crypto_generichash_update(state, $0.bytes, UInt64($0.count))
            }
        }
    }

    /// Hashes without a key.
    ///
    /// - Parameters:
    ///   - size: The size of the digest, 16 to 64 bytes.
    ///   - feed: Feeds the parts.
    /// - Returns: The digest.
    public static func hash(size: Int, _ feed: (borrowing Input) -> Void) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        unsafe digest.withUnsafeMutableBytes {
            unsafe run(UnsafeRawBufferPointer(start: nil, count: 0), $0, feed)
        }
        return digest
    }

    /// Hashes with a key.
    ///
    /// - Parameters:
    ///   - size: The size of the digest, 16 to 64 bytes.
    ///   - key: The key.
    ///   - feed: Feeds the parts.
    /// - Returns: The digest.
    public static func hash<Use: HashingPurpose>(
        size: Int, key: borrowing Key<Use>, _ feed: (borrowing Input) -> Void
    ) -> [UInt8] {
        key.withBytes { hash(size: size, keyBytes: $0, feed) }
    }

    /// Whether a digest, which is not secret, is that of some bytes.
    ///
    /// The corresponding C function is `crypto_generichash`.
    public static func matches<Use: HashingPurpose>(
        _ digest: [UInt8], _ bytes: RawSpan, key: borrowing Key<Use>
    ) -> Bool {
        var found = InlineArray<64, UInt8>(repeating: 0)
        precondition((16...64).contains(digest.count))
        unsafe bytes.withUnsafeBytes { bytes in
            key.withBytes { key in
                unsafe key.withUnsafeBytes { key in
                    var span = found.mutableSpan
                    unsafe span.withUnsafeMutableBytes { found in
                        _ = unsafe crypto_generichash(
                            found.bytes, digest.count, bytes.bytes, UInt64(bytes.count), key.bytes,
                            key.count)
                    }
                }
            }
        }
        StackTraces.wipe()
        return digest.indices.allSatisfy { digest[$0] == found[$0] }
    }

    /// Hashes with key bytes: 16 to 64 bytes, or none.
    // Not inlined: inside the generic function above, it would look up the type of its array at each call.
    @inline(never)
    package static func hash(size: Int, keyBytes: RawSpan, _ feed: (borrowing Input) -> Void)
        -> [UInt8]
    {
        var digest = [UInt8](repeating: 0, count: size)
        unsafe keyBytes.withUnsafeBytes { key in
            unsafe digest.withUnsafeMutableBytes { unsafe run(key, $0, feed) }
        }
        return digest
    }

    /// Hashes with key bytes into guarded memory of 16 to 64 bytes.
    package static func hash(
        into digest: inout SecretBytes, keyBytes: RawSpan, _ feed: (borrowing Input) -> Void
    ) {
        unsafe keyBytes.withUnsafeBytes { key in
            digest.withMutableBytes { digest in
                unsafe digest.withUnsafeMutableBytes { unsafe run(key, $0, feed) }
            }
        }
    }

    /// `crypto_generichash_state` has 384 bytes, aligned to 64.
    fileprivate static let stateSize = 384
    private static let stateAlignment = 64

    /// Runs the hash with its state in temporary memory, and wipes it, because the state contains the key.
    static func run(
        _ key: UnsafeRawBufferPointer, _ digest: UnsafeMutableRawBufferPointer,
        _ feed: (borrowing Input) -> Void
    ) {
        precondition(crypto_generichash_statebytes() <= stateSize)
        // Swift allocates on the stack only up to an alignment of 16 bytes, and a heap allocation would cost as much as the hash.
        unsafe withUnsafeTemporaryAllocation(
            byteCount: stateSize + stateAlignment, alignment: 16
        ) { memory in
            let start = unsafe UnsafeMutableRawPointer(memory.bytes)
                .alignedUp(toMultipleOf: stateAlignment)
            let state = OpaquePointer(start)
            let started = unsafe crypto_generichash_init(
                state, key.count == 0 ? nil : key.bytes, key.count, digest.count)
            precondition(started == 0, "sizes outside BLAKE2b's limits")
            feed(unsafe Input(state: state))
            _ = unsafe crypto_generichash_final(state, digest.bytes, digest.count)
            unsafe sodium_memzero(start, stateSize)
        }
        StackTraces.wipe()
    }
}

/// An incremental hash, with or without a key. Not thread-safe.
///
/// The corresponding C functions are `crypto_generichash_init`, `crypto_generichash_update` and `crypto_generichash_final`.
public struct Blake2bStream: ~Copyable {
    /// In guarded memory, because it contains the key. Guarded memory ends at a page boundary, so this size gives an alignment of 64 bytes.
    private var state: SecretBytes
    private let size: Int

    /// Begins a hash without a key.
    ///
    /// - Parameter size: The size of the digest, 16 to 64 bytes.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(size: Int) throws {
        state = try SecretBytes(count: Blake2b.stateSize)
        self.size = size
        unsafe Self.begin(&state, UnsafeRawBufferPointer(start: nil, count: 0), size)
    }

    /// Begins a hash with a key of 16 to 64 bytes.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public init(size: Int, key: borrowing SecretBytes) throws {
        var state = try SecretBytes(count: Blake2b.stateSize)
        key.withBytes { key in unsafe key.withUnsafeBytes { unsafe Self.begin(&state, $0, size) } }
        self.state = state
        self.size = size
    }

    private static func begin(
        _ state: inout SecretBytes, _ key: UnsafeRawBufferPointer, _ size: Int
    ) {
        let started = state.withMutableBytes { state in
            unsafe state.withUnsafeMutableBytes { state in
                unsafe crypto_generichash_init(
                    OpaquePointer(state.bytes), key.count == 0 ? nil : key.bytes, key.count, size)
            }
        }
        precondition(started == 0, "sizes outside BLAKE2b's limits")
        StackTraces.wipe()
    }

    /// Feeds bytes.
    public mutating func feed(_ bytes: [UInt8]) {
        state.withMutableBytes { state in
            unsafe state.withUnsafeMutableBytes { state in
                _ = unsafe crypto_generichash_update(
                    OpaquePointer(state.bytes), bytes, UInt64(bytes.count))
            }
        }
    }

    /// Finishes the hash.
    public consuming func digest() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        state.withMutableBytes { state in
            unsafe state.withUnsafeMutableBytes { state in
                _ = unsafe crypto_generichash_final(
                    OpaquePointer(state.bytes), &digest, digest.count)
            }
        }
        StackTraces.wipe()
        return digest
    }
}
