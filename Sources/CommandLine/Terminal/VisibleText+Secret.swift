package import SecretMemory

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
            throw .outOfMemory
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
