internal import SecretMemory
internal import TextCoding

/// Collects output in guarded memory and hands it to a sink in large pieces.
struct ExportBuffer<SinkFailure: Error>: ~Copyable {
    /// How many bytes are encoded at once: a multiple of three, so that padding stands at the end only.
    private static var blockSize: Int { 3_072 }

    private var bytes: SecretBytes
    private var used = 0
    private let sink: (RawSpan) throws(SinkFailure) -> Void

    init(
        to sink: @escaping (RawSpan) throws(SinkFailure) -> Void
    ) throws(ExportError<SinkFailure>) {
        self.sink = sink
        do {
            bytes = try SecretBytes(count: 65_536)
        } catch {
            throw .outOfMemory
        }
    }

    mutating func append(_ piece: RawSpan) throws(ExportError<SinkFailure>) {
        var offset = 0
        while offset < piece.byteCount {
            if used == bytes.count { try flush() }
            let count = min(piece.byteCount - offset, bytes.count - used)
            let part = piece.extracting(offset..<(offset + count))
            bytes.withMutableBytes { $0.copy(part, at: used) }
            used += count
            offset += count
        }
    }

    /// Appends text that is no secret.
    mutating func append(_ text: String) throws(ExportError<SinkFailure>) {
        let bytes = Array(text.utf8)
        // Safe: the array outlives the span.
        try append(unsafe bytes.span.bytes)
    }

    /// Appends bytes with each quotation mark doubled.
    mutating func appendDoublingQuotes(_ piece: RawSpan) throws(ExportError<SinkFailure>) {
        var start = 0
        for offset in 0..<piece.byteCount where piece[offset] == Byte.quote {
            // Once with what stands before it, once more as the start of the next part.
            try append(piece.extracting(start..<(offset + 1)))
            start = offset
        }
        try append(piece.extracting(start..<piece.byteCount))
    }

    /// Appends bytes in base64.
    mutating func appendBase64(_ value: RawSpan) throws(ExportError<SinkFailure>) {
        var text: SecretBytes
        do {
            text = try SecretBytes(count: Base64.size(encoding: Self.blockSize))
        } catch {
            throw .outOfMemory
        }
        var offset = 0
        while offset < value.byteCount {
            let end = min(offset + Self.blockSize, value.byteCount)
            let block = value.extracting(offset..<end)
            text.withMutableBytes { Base64.encode(block, into: &$0) }
            try text.withBytes { (bytes) throws(ExportError<SinkFailure>) in
                try append(bytes.extracting(0..<Base64.size(encoding: block.byteCount)))
            }
            offset = end
        }
    }

    /// Hands on what is left.
    mutating func flush() throws(ExportError<SinkFailure>) {
        guard used > 0 else { return }
        try bytes.withBytes { (bytes) throws(ExportError<SinkFailure>) in
            do throws(SinkFailure) {
                try sink(bytes.extracting(0..<used))
            } catch {
                throw .sink(error)
            }
        }
        used = 0
    }
}
