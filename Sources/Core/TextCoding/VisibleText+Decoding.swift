extension VisibleText {
    /// A decoded piece of bytes that should be UTF-8.
    package enum Piece {
        case scalar(Unicode.Scalar)
        case invalid(UInt8)
    }

    /// Decodes the piece at `offset`, and returns its size in bytes. Each byte outside a scalar is
    /// a separate piece.
    ///
    /// The standard library's decoder repairs errors silently, so it cannot be used.
    package static func piece(of bytes: RawSpan, at offset: Int) -> (Piece, Int) {
        let first = bytes[offset]
        let size: Int
        var value: UInt32
        switch first {
        case 0x00...0x7F: (size, value) = (1, UInt32(first))
        case 0xC2...0xDF: (size, value) = (2, UInt32(first & 0x1F))
        case 0xE0...0xEF: (size, value) = (3, UInt32(first & 0x0F))
        case 0xF0...0xF4: (size, value) = (4, UInt32(first & 0x07))
        default: return (.invalid(first), 1)
        }
        guard offset + size <= bytes.byteCount else { return (.invalid(first), 1) }
        for position in 1..<max(size, 1) where position < size {
            let next = bytes[offset + position]
            guard next & 0xC0 == 0x80 else { return (.invalid(first), 1) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        // Reject an overlong form, a surrogate, and a value above 10FFFF.
        let smallest: [UInt32] = [0, 0, 0x80, 0x800, 0x1_0000]
        guard value >= smallest[size], let scalar = Unicode.Scalar(value) else {
            return (.invalid(first), 1)
        }
        return (.scalar(scalar), size)
    }
}
