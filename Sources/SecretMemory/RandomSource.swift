internal import CSodium

/// The source of keys, nonces, salts and ids.
///
/// A value, so that a test can supply its own bytes; all other code uses ``system``. Thread-safe.
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
