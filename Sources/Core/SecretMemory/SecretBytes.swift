internal import CSodium
internal import Platform

/// A secret in guarded memory, with a single owner, wiped at the end of its lifetime.
///
/// The bytes lie between two inaccessible pages. The memory is locked if the system allows it, excluded from core dumps, and overwritten
/// with zeros when the value ends. The type cannot be copied, printed, compared with `==` or encoded; ``withBytes(_:)`` is the only access.
///
/// The corresponding C functions are `sodium_malloc` and `sodium_free`. Safe to send between threads: a value has one owner at a time,
/// so two threads never change it concurrently.
@safe public struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    /// The largest size, in bytes.
    package let capacity: Int

    /// The number of bytes.
    public private(set) var count: Int

    /// Creates `count` zero bytes.
    ///
    /// - Parameter count: The size in bytes, 0 or more.
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public init(count: Int) throws {
        precondition(count >= 0)
        _ = SodiumLibrary.ready
        // sodium_malloc fills memory with 0xdb; readers expect zeros.
        guard let base = unsafe sodium_malloc(max(count, 1)) else {
            throw SecretMemoryError.outOfMemory
        }
        unsafe sodium_memzero(base, count)
        unsafe self.base = unsafe base
        self.capacity = count
        self.count = count
    }

    /// Takes ownership of memory from ``relinquish()``, allocated by `sodium_malloc`: `capacity` zero bytes.
    init(adopting base: UnsafeMutableRawPointer, capacity: Int, count: Int) {
        unsafe self.base = unsafe base
        self.capacity = capacity
        self.count = count
    }

    /// Copies bytes into guarded memory. The caller must wipe the source.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public init(copying bytes: RawSpan) throws {
        try self.init(count: bytes.byteCount)
        let base = unsafe self.base
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe base.copyMemory(from: start, byteCount: source.count)
            }
        }
        platform_wipe_vector_registers()
    }

    deinit {
        unsafe sodium_free(base)
    }

    /// A second secret with the same bytes.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public borrowing func copy() throws -> SecretBytes {
        try withBytes { bytes in try SecretBytes(copying: bytes) }
    }

    /// A secret with `count` of the bytes, from `offset` on.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public borrowing func copy(from offset: Int, count: Int) throws -> SecretBytes {
        try withBytes { try SecretBytes(copying: $0.extracting(offset..<(offset + count))) }
    }

    /// A new secret: these bytes, then those of `other`.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public borrowing func joined(with other: borrowing SecretBytes) throws -> SecretBytes {
        let joined = try SecretBytes(count: count + other.count)
        unsafe joined.base.copyMemory(from: base, byteCount: count)
        unsafe (joined.base + count).copyMemory(from: other.base, byteCount: other.count)
        platform_wipe_vector_registers()
        return joined
    }

    /// Calls `body` with the bytes, for reading.
    ///
    /// - Parameter body: Gets the bytes, which must not outlive the call.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: base, byteCount: count))
    }

    /// Calls `body` with the bytes, for changing.
    ///
    /// - Parameter body: Gets the bytes, which must not outlive the call.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableRawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
        return try body(&span)
    }

    /// Compares two secrets in a time that depends only on their sizes.
    ///
    /// The corresponding C function is `sodium_memcmp`.
    public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe sodium_memcmp(base, other.base, count) == 0
    }

    /// Keeps only the `count` bytes from `offset` on, and wipes the rest.
    public mutating func keep(from offset: Int = 0, count kept: Int) {
        precondition(offset >= 0 && kept >= 0 && offset + kept <= count)
        if offset > 0 {
            // The ranges may overlap, as in memmove.
            unsafe base.copyMemory(from: base + offset, byteCount: kept)
            platform_wipe_vector_registers()
        }
        unsafe sodium_memzero(base + kept, count - kept)
        count = kept
    }

    /// Sets the size within the ``capacity``. Added bytes are zero, because removed bytes are wiped.
    package mutating func resize(to count: Int) {
        precondition(count >= 0 && count <= capacity)
        if count < self.count {
            unsafe sodium_memzero(base + count, self.count - count)
        }
        self.count = count
    }

    /// Transfers the zeroed memory to the caller, which must adopt or free it.
    consuming func relinquish() -> UnsafeMutableRawPointer {
        let pointer = unsafe base
        // Bytes beyond `count` were wiped on removal, or never used.
        unsafe sodium_memzero(pointer, count)
        discard self
        return unsafe pointer
    }
}

/// Why guarded memory could not be allocated.
public enum SecretMemoryError: Error, Sendable, Hashable {
    /// The system refused the mapping: memory, or the process's number of mappings, is exhausted.
    case outOfMemory
}

/// libsodium, initialised once for the process.
enum SodiumLibrary {
    /// Calls `sodium_init`, which must run before any other function of the library.
    ///
    /// Thread-safe. If the initialisation fails there is no random source, so the process ends.
    static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium could not be initialised")
    }()
}
