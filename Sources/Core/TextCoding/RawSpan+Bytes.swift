internal import Platform

extension RawSpan {
    /// The byte at `offset`, with a bounds check.
    package subscript(offset: Int) -> UInt8 {
        // `unsafeLoad` is safe for bytes: every bit pattern is valid.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// A copy of the bytes as an array. Never for a secret: an array is not wiped.
    package var array: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }

    /// The bytes as text, or nil if they are not UTF-8. Never for a secret: a `String` is not wiped.
    package func text() -> String? {
        unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }

    /// Whether the bytes are UTF-8. Checked without a copy.
    package var isUTF8: Bool {
        do {
            _ = try UTF8Span(validating: Span<UInt8>(_bytes: self))
            return true
        } catch {
            return false
        }
    }

    /// Whether a byte equals `byte`.
    package func contains(_ byte: UInt8) -> Bool {
        unsafe withUnsafeBytes { unsafe $0.contains(byte) }
    }

    /// The offset of the next quotation mark, backslash or control character from `offset` on, or the size.
    func endOfPlainText(from offset: Int) -> Int {
        var end = offset
        while end < byteCount {
            let byte = self[end]
            if byte == Byte.quote || byte == Byte.backslash || byte < 0x20 { break }
            end += 1
        }
        return end
    }

    /// The number of occurrences of `byte` in `range`.
    package func occurrences(of byte: UInt8, in range: Range<Int>) -> Int {
        var found = 0
        for offset in range where self[offset] == byte { found += 1 }
        return found
    }

    /// Whether the bytes from `offset` on begin with `text`.
    package func hasText(_ text: StaticString, at offset: Int) -> Bool {
        guard offset + text.utf8CodeUnitCount <= byteCount else { return false }
        return text.withUTF8Buffer { expected in
            for index in 0..<expected.count {
                if unsafe expected[index] != self[offset + index] { return false }
            }
            return true
        }
    }
}

extension MutableRawSpan {
    /// Writes `source` at `offset`.
    package mutating func copy(_ source: RawSpan, at offset: Int = 0) {
        precondition(offset >= 0 && offset <= byteCount - source.byteCount)
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                // The bounds were checked above; an address is nil only for an empty span.
                if let from = bytes.baseAddress, let to = target.baseAddress {
                    _ = unsafe memcpy(to + offset, from, bytes.count)
                }
            }
        }
    }

    /// Writes one byte, with a bounds check.
    package mutating func set(_ byte: UInt8, at offset: Int) {
        storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }
}

/// The bytes with a meaning in the formats.
package enum Byte {
    package static let lineFeed: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let quote: UInt8 = 0x22
    package static let comma: UInt8 = 0x2C
    package static let colon: UInt8 = 0x3A
    package static let backslash: UInt8 = 0x5C
    package static let zero: UInt8 = 0x30
}
