package import SecretMemory

/// A destination of output bytes.
package protocol ByteSink: ~Copyable {
    /// Accepts public bytes; they may be buffered in ordinary memory.
    mutating func write(_ bytes: RawSpan) throws(OutputError)

    /// Accepts secret bytes, which must not be copied into ordinary memory.
    mutating func write(secret bytes: RawSpan) throws(OutputError)
}

extension ByteSink where Self: ~Copyable {
    /// Writes public text unchanged: escape text from a vault by ``VisibleText`` first.
    package mutating func write(_ text: String) throws(OutputError) {
        // `bytes` is marked unsafe because some elements have padding; bytes of UTF-8 have none.
        unsafe try write(text.utf8Span.span.bytes)
    }

    /// Writes text and a line end.
    package mutating func writeLine(_ text: String = "") throws(OutputError) {
        try write(text + "\n")
    }

    /// Writes a secret unchanged.
    package mutating func write(secret: borrowing SecretBytes) throws(OutputError) {
        try secret.withBytes { (bytes) throws(OutputError) in try write(secret: bytes) }
    }
}
