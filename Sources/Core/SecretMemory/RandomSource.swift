internal import CSodium
internal import Synchronization

/// The source of keys, nonces, salts and ids.
///
/// A value, so that a test can supply its own bytes. All other code uses ``system``. Thread-safe.
public struct RandomSource: Sendable {
    private let fill: @Sendable (inout MutableRawSpan) -> Void

    /// The system's random source by `randombytes_buf`.
    ///
    /// libsodium aborts the process if the system has no random source.
    public static let system = RandomSource { span in
        _ = SodiumLibrary.ready
        unsafe span.withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { unsafe randombytes_buf(start, buffer.count) }
        }
    }

    /// Creates a source from a function that overwrites the whole given span.
    public init(_ fill: @escaping @Sendable (inout MutableRawSpan) -> Void) {
        self.fill = fill
    }

    /// Random bytes that are not secret, such as an id or a salt.
    public func bytes(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var elements = bytes.mutableSpan
        var span = unsafe elements.mutableBytes
        fill(&span)
        return bytes
    }

    /// Overwrites bytes that are not secret, such as a nonce, with random ones.
    public func overwrite(_ bytes: inout MutableRawSpan) { fill(&bytes) }

    /// A source for one call that needs many ids and nonces. It reads 4,096 bytes at a time, because one system call per nonce costs as
    /// much as sealing a short value.
    ///
    /// After a `fork` both processes would get the same bytes, so the source must not outlive the call. Not for secrets, because the buffer
    /// keeps a copy. Thread-safe.
    public func buffered() -> RandomSource {
        let buffer = RandomBuffer(self)
        return RandomSource { buffer.fill(&$0) }
    }

    /// A random secret in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory` if the system has no more memory or mappings.
    public func secret(count: Int) throws -> SecretBytes {
        var secret = try SecretBytes(count: count)
        secret.withMutableBytes { fill(&$0) }
        return secret
    }

    /// A uniformly distributed number below `bound`, without the bias of a plain remainder.
    ///
    /// - Parameter bound: At least 1.
    /// - Returns: 0 to `bound` - 1.
    public func number(below bound: UInt32) -> UInt32 {
        precondition(bound > 0)
        // As in `randombytes_uniform`: reject numbers below 2^32 mod bound.
        let threshold = (0 &- bound) % bound
        while true {
            let drawn = bytes(count: 4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if drawn >= threshold { return drawn % bound }
        }
    }
}

/// The unused random bytes of ``RandomSource/buffered()``.
private final class RandomBuffer: Sendable {
    private static let size = 4_096
    private let source: RandomSource
    private let rest = Mutex<ArraySlice<UInt8>>([])

    init(_ source: RandomSource) { self.source = source }

    func fill(_ span: inout MutableRawSpan) {
        let count = span.byteCount
        guard count <= Self.size else { return source.overwrite(&span) }
        rest.withLock { rest in
            if rest.count < count { rest = source.bytes(count: Self.size)[...] }
            unsafe span.withUnsafeMutableBytes { target in
                unsafe rest.prefix(count).withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            }
            rest = rest.dropFirst(count)
        }
    }
}
