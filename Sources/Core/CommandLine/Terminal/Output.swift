// Re-exports the types of output, JSON and safe text: `import CommandLine` suffices to print.
@_exported public import TextCoding
package import SecretMemory
internal import Platform

/// Buffered output to a descriptor, such as standard output.
///
/// Public text is buffered until ``finish()`` or ``flush()``, which saves system calls for long
/// lists. A terminal receives each line at once. Secrets never enter the buffer: they are written
/// directly from guarded memory, after the buffered bytes. A value has one owner; not thread-safe.
package struct Output: ~Copyable, ByteSink {
    private static let capacity = 65_536

    private let descriptor: Int32
    private var pending: [UInt8] = []

    /// Whether the descriptor is a terminal.
    package let isTerminal: Bool

    /// Creates output to a descriptor, which stays open.
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

    /// Accepts public bytes.
    ///
    /// - Throws: `SystemFailure`, with `EPIPE` if the reader is gone.
    package mutating func write(_ bytes: RawSpan) throws {
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
    /// - Throws: `SystemFailure`, with `EPIPE` if the reader is gone.
    package mutating func write(secret bytes: RawSpan) throws {
        try flush()
        try Descriptor.write(bytes, to: descriptor)
    }

    /// Writes the buffered bytes; required before other output to the same descriptor, such as a prompt.
    ///
    /// - Throws: `SystemFailure`, with `EPIPE` if the reader is gone; the buffered bytes are then lost.
    package mutating func flush() throws {
        guard !pending.isEmpty else { return }
        let waiting = pending
        pending.removeAll(keepingCapacity: false)
        unsafe try Descriptor.write(waiting.span.bytes, to: descriptor)
    }

    /// Writes the buffered bytes and ends. Without this call they are lost, because a `deinit` cannot report a failure.
    ///
    /// - Throws: `SystemFailure`, with `EPIPE` if the reader is gone.
    package consuming func finish() throws {
        try flush()
    }
}

/// Standard output for text that a program may read, such as a file. A pipe receives it unchanged,
/// a terminal escaped.
package struct VisibleOutput: ByteSink, ~Copyable {
    private var output: Output

    /// Creates a sink in front of an output.
    package init(_ output: consuming Output) {
        self.output = output
    }

    /// Writes text. On a terminal, a scalar must not be split between calls.
    package mutating func write(_ bytes: RawSpan) throws {
        guard output.isTerminal else { return try output.write(bytes) }
        try output.write(VisibleText.escape(bytes: bytes, keepingLines: true))
    }

    /// Writes a secret.
    package mutating func write(secret bytes: RawSpan) throws {
        guard output.isTerminal else { return try output.write(secret: bytes) }
        try VisibleText.write(secret: bytes, keepingLines: true, to: &output)
    }

    /// Writes the buffered bytes.
    package consuming func finish() throws {
        try output.finish()
    }
}

extension VisibleText {
    /// The largest piece of output: `\u{10FFFF}`.
    private static let largestEscape = 10
    private static let bufferSize = 4_096

    /// Writes a secret with unsafe characters escaped. It moves only from guarded memory to the sink's path for secrets.
    ///
    /// - Throws: The error of the sink, `SecretMemoryError`.
    package static func write<Sink: ByteSink & ~Copyable>(
        secret: borrowing SecretBytes, keepingLines lines: Bool, to sink: inout Sink
    ) throws {
        try secret.withBytes { bytes in
            try write(secret: bytes, keepingLines: lines, to: &sink)
        }
    }

    /// Writes bytes of a secret. Characters that could deceive the reader or control the terminal are escaped, in a small buffer of guarded
    /// memory.
    ///
    /// - Throws: The error of the sink; `SecretMemoryError` if there is no guarded memory.
    package static func write<Sink: ByteSink & ~Copyable>(
        secret bytes: RawSpan, keepingLines lines: Bool, to sink: inout Sink
    ) throws {
        var buffer = try GrowingSecret(capacity: bufferSize)
        var scalars = VisibleScalars(lines: lines)
        var offset = 0
        while offset < bytes.byteCount {
            let (piece, size) = piece(of: bytes, at: offset)
            switch piece {
            case .scalar(let scalar)
            where scalars.accepts(scalar, before: offset + size, of: bytes):
                for position in offset..<offset + size {
                    buffer.append(bytes[position])
                }
            // An escape reveals one character, which passes through ordinary memory.
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
    ) throws {
        try buffer.withBytes { waiting in try sink.write(secret: waiting) }
        buffer.removeLast(buffer.count)
    }
}

extension GrowingSecret {
    /// Appends the bytes of an escape; there must be room.
    fileprivate mutating func append(_ escape: String) {
        for byte in escape.utf8 { append(byte) }
    }
}
