internal import SecretMemory
internal import TextCoding

/// Random numbers for secrets: like `RandomSource.number(below:)`, but drawn in guarded memory, because whoever finds the drawn bytes later
/// knows the secret.
struct GuardedNumbers: ~Copyable {
    private let source: RandomSource
    private var bytes: SecretBytes
    private var position = 0

    init(_ source: RandomSource) throws(SecretMemoryError) {
        self.source = source
        bytes = try source.secret(count: 256)
    }

    /// A uniformly distributed number below `bound`, which is at least 1.
    mutating func next(below bound: UInt32) throws(SecretMemoryError) -> UInt32 {
        precondition(bound > 0)
        // As in `randombytes_uniform`: numbers under 2^32 mod bound are drawn again.
        let threshold = (0 &- bound) % bound
        while true {
            if position == bytes.count {
                bytes = try source.secret(count: bytes.count)
                position = 0
            }
            let drawn = bytes.withBytes { span in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(span[position + $1]) }
            }
            position += 4
            if drawn >= threshold { return drawn % bound }
        }
    }
}
