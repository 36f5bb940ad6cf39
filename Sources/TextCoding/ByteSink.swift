package import SecretMemory

/// Where output goes, byte by byte.
package protocol ByteSink: ~Copyable {
    /// Takes bytes that are no secret; they may wait in ordinary memory.
    mutating func write(_ bytes: RawSpan) throws(OutputError)

    /// Takes bytes of a secret, which must not be copied into ordinary memory.
    mutating func write(secret bytes: RawSpan) throws(OutputError)
}

extension ByteSink where Self: ~Copyable {
    /// Writes text that is no secret, as it is: what comes from a vault goes through ``VisibleText`` first.
    package mutating func write(_ text: String) throws(OutputError) {
        // `bytes` is marked unsafe because some elements have padding; bytes of UTF-8 have none.
        unsafe try write(text.utf8Span.span.bytes)
    }

    /// Writes text and a line end.
    package mutating func writeLine(_ text: String = "") throws(OutputError) {
        try write(text + "\n")
    }

    /// Writes a secret as it is.
    package mutating func write(secret: borrowing SecretBytes) throws(OutputError) {
        try secret.withBytes { (bytes) throws(OutputError) in try write(secret: bytes) }
    }
}
