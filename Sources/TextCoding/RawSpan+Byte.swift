extension RawSpan {
    /// The byte at `offset`; one beyond the end stops the program.
    package func byte(at offset: Int) -> UInt8 {
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}
