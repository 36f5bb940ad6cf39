internal import TextCoding

/// Bytes that were written.
struct ByteBuffer: ByteSink {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ bytes: RawSpan) throws {
        unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
    }

    mutating func write(secret bytes: RawSpan) throws {
        try write(bytes)
    }
}
