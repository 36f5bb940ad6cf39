// Where output goes, JSON and safe text: one `import CommandLine` is enough to print.
@_exported public import TextCoding
package import SecretMemory

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

    /// Writes the waiting bytes; needed before something else writes to the same place, a prompt for example.
    ///
    /// - Throws: `brokenPipe` or `failed`; the waiting bytes are lost then.
    package mutating func flush() throws(OutputError) {
        guard !pending.isEmpty else { return }
        let waiting = pending
        pending.removeAll(keepingCapacity: false)
        unsafe try Descriptor.write(waiting.span.bytes, to: descriptor)
    }

    /// Writes the waiting bytes and ends. Without it they are lost: a `deinit` could not report that writing failed.
    ///
    /// - Throws: `brokenPipe` or `failed`.
    package consuming func finish() throws(OutputError) {
        try flush()
    }
}

/// Standard output for text that a program will read, such as a file: as it is into a pipe, made visible on a terminal.
package struct VisibleOutput: ByteSink, ~Copyable {
    private var output: Output

    /// Makes a sink in front of an output.
    package init(_ output: consuming Output) {
        self.output = output
    }

    /// Writes text. On a terminal a scalar must not be cut in two.
    package mutating func write(_ bytes: RawSpan) throws(OutputError) {
        guard output.isTerminal else { return try output.write(bytes) }
        try output.write(VisibleText.escape(bytes: bytes, keepingLines: true))
    }

    /// Writes a secret.
    package mutating func write(secret bytes: RawSpan) throws(OutputError) {
        guard output.isTerminal else { return try output.write(secret: bytes) }
        try VisibleText.write(secret: bytes, keepingLines: true, to: &output)
    }

    /// Writes the waiting bytes.
    package consuming func finish() throws(OutputError) {
        try output.finish()
    }
}

extension VisibleText {
    /// The largest piece of output: `\u{10FFFF}`.
    private static let largestEscape = 10
    private static let bufferSize = 4_096

    /// Writes a secret with everything dangerous escaped. It goes from guarded memory to the sink's guarded path only.
    ///
    /// - Throws: What the sink throws, `outOfMemory`.
    package static func write<Sink: ByteSink & ~Copyable>(
        secret: borrowing SecretBytes, keepingLines lines: Bool, to sink: inout Sink
    ) throws(OutputError) {
        try secret.withBytes { (bytes) throws(OutputError) in
            try write(secret: bytes, keepingLines: lines, to: &sink)
        }
    }

    /// Writes bytes of a secret, with everything dangerous escaped, through a small guarded buffer.
    ///
    /// - Throws: What the sink throws, `outOfMemory`.
    package static func write<Sink: ByteSink & ~Copyable>(
        secret bytes: RawSpan, keepingLines lines: Bool, to sink: inout Sink
    ) throws(OutputError) {
        var buffer: GrowingSecret
        do {
            buffer = try GrowingSecret(capacity: bufferSize)
        } catch {
            throw OutputError.outOfMemory
        }
        var scalars = PassingScalars(lines: lines)
        var offset = 0
        while offset < bytes.byteCount {
            let (piece, size) = piece(of: bytes, at: offset)
            switch piece {
            case .scalar(let scalar)
            where scalars.passes(scalar, before: offset + size, of: bytes):
                for position in offset..<offset + size {
                    buffer.append(bytes[position])
                }
            // An escape names a single character; it passes through ordinary memory.
            case .scalar(let scalar): buffer.append(escaped(scalar))
            case .invalid(let byte):
                scalars.interrupt()
                buffer.append(escaped(byte))
            }
            offset += size
            if buffer.capacity - buffer.count < largestEscape { try empty(&buffer, into: &sink) }
        }
        try empty(&buffer, into: &sink)
    }

    private static func empty<Sink: ByteSink & ~Copyable>(
        _ buffer: inout GrowingSecret, into sink: inout Sink
    ) throws(OutputError) {
        try buffer.withBytes { (waiting) throws(OutputError) in try sink.write(secret: waiting) }
        buffer.removeLast(buffer.count)
    }
}

extension GrowingSecret {
    /// Appends the bytes of an escape; there must be room.
    fileprivate mutating func append(_ escape: String) {
        for byte in escape.utf8 { append(byte) }
    }
}
