/// Buffered output to a descriptor, such as standard output.
///
/// Public text waits in a buffer until ``finish()`` or ``flush()``, so that a list of 100,000 lines is not as many system calls; on a
/// terminal every line goes out at once. Secrets never enter the buffer: they are written straight from guarded memory, after what
/// waits before them. A value has one owner; not to be used from two threads at once.
package struct Output: ~Copyable, ByteSink {
    private static let capacity = 65_536

    private let descriptor: Int32
    private var pending: [UInt8] = []

    /// Whether a person reads it.
    package let isTerminal: Bool

    /// Makes output to a descriptor, which stays open afterwards.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = Descriptor.isTerminal(descriptor)
    }

    /// Output to descriptor 1.
    package static func standardOutput() -> Output {
        Output(descriptor: Descriptor.standardOutput)
    }

    /// Output to descriptor 2.
    package static func standardError() -> Output {
        Output(descriptor: Descriptor.standardError)
    }

    /// Takes bytes that are no secret.
    ///
    /// - Throws: `brokenPipe` or `failed`.
    package mutating func write(_ bytes: RawSpan) throws(OutputError) {
        if bytes.byteCount >= Self.capacity {
            try flush()
            try Descriptor.write(bytes, to: descriptor)
            return
        }
        unsafe bytes.withUnsafeBytes { unsafe pending.append(contentsOf: $0) }
        if pending.count >= Self.capacity || (isTerminal && pending.last == 0x0A) {
            try flush()
        }
    }

    /// Writes bytes of a secret at once.
    ///
    /// - Throws: `brokenPipe` or `failed`.
    package mutating func write(secret bytes: RawSpan) throws(OutputError) {
        try flush()
        try Descriptor.write(bytes, to: descriptor)
    }

    /// Writes what waits; needed before something else writes to the same place, a prompt for example.
    ///
    /// - Throws: `brokenPipe` or `failed`; what waited is given up then.
    package mutating func flush() throws(OutputError) {
        guard !pending.isEmpty else { return }
        let waiting = pending
        pending.removeAll(keepingCapacity: false)
        unsafe try Descriptor.write(waiting.span.bytes, to: descriptor)
    }

    /// Writes what waits and ends. Without it, what waits is lost: a `deinit` could not tell that writing failed.
    ///
    /// - Throws: `brokenPipe` or `failed`.
    package consuming func finish() throws(OutputError) {
        try flush()
    }
}
