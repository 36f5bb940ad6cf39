package import SecretMemory

/// Base64 (RFC 4648, section 4, with padding), without lookup tables: the time is independent of the data.
package enum Base64 {
    /// The size of `count` bytes when encoded.
    package static func size(encoding count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Encodes `bytes` into the beginning of `output`, which has room for ``size(encoding:)`` bytes.
    package static func encode(_ bytes: RawSpan, into output: inout MutableRawSpan) {
        precondition(output.byteCount >= size(encoding: bytes.byteCount))
        var written = 0
        var offset = 0
        while offset < bytes.byteCount {
            let count = min(3, bytes.byteCount - offset)
            var group: UInt32 = 0
            for position in 0..<3 {
                let byte = position < count ? bytes[offset + position] : 0
                group = group << 8 | UInt32(byte)
            }
            for position in 0..<4 {
                let sextet = group >> UInt32(18 - 6 * position) & 0x3F
                let letter = position <= count ? letter(of: sextet) : 0x3D
                output.storeBytes(of: letter, toByteOffset: written + position, as: UInt8.self)
            }
            written += 4
            offset += 3
        }
    }

    /// The text of bytes in base64url without padding (RFC 4648, section 5), as ASCII. Never for a secret: an array is not wiped.
    package static func urlText(of bytes: [UInt8]) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: size(encoding: bytes.count))
        var elements = text.mutableSpan
        var output = unsafe elements.mutableBytes
        unsafe encode(bytes.span.bytes, into: &output)
        return text.compactMap { letter in
            switch letter {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: letter
            }
        }
    }

    /// The bytes of a secret in base64url without padding, as ASCII in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func urlText(ofSecret secret: borrowing SecretBytes) throws -> SecretBytes {
        var text = try SecretBytes(count: size(encoding: secret.count))
        secret.withBytes { bytes in text.withMutableBytes { encode(bytes, into: &$0) } }
        // Only whole groups of three bytes have no padding.
        let padding = (3 - secret.count % 3) % 3
        text.keep(count: text.count - padding)
        text.withMutableBytes { span in
            for offset in 0..<span.byteCount {
                switch unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
                case UInt8(ascii: "+"): span.set(UInt8(ascii: "-"), at: offset)
                case UInt8(ascii: "/"): span.set(UInt8(ascii: "_"), at: offset)
                default: break
                }
            }
        }
        return text
    }

    /// The bytes of a text in Base64 or base64url, with or without padding, in guarded memory.
    ///
    /// - Returns: nil for any other text, also one with bits that no byte has.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func secret(of text: RawSpan) throws -> SecretBytes? {
        var count = text.byteCount
        while count > 0, text.byteCount - count < 2, text[count - 1] == UInt8(ascii: "=") {
            count -= 1
        }
        guard count % 4 != 1, count == text.byteCount || text.byteCount % 4 == 0 else { return nil }
        var bytes = try SecretBytes(count: count * 3 / 4)
        var isValid = true
        bytes.withMutableBytes { span in
            var group: UInt32 = 0
            var bits: UInt32 = 0
            var written = 0
            for offset in 0..<count {
                guard let sextet = value(of: text[offset]) else {
                    isValid = false
                    return
                }
                group = group << 6 | sextet
                bits += 6
                if bits >= 8 {
                    bits -= 8
                    span.set(UInt8(truncatingIfNeeded: group >> bits), at: written)
                    written += 1
                    group &= 1 << bits - 1
                }
            }
            if group != 0 { isValid = false }
        }
        guard isValid else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter) + 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// `A`…`Z`, `a`…`z`, `0`…`9`, `+`, `/`: between adjacent ranges the offset changes by a constant, which is added from the start of
    /// the range on.
    private static func letter(of sextet: UInt32) -> UInt8 {
        let value = Int32(bitPattern: sextet)
        var letter = value + 65
        // (bound - 1 - value) >> 31 is all ones from the bound on, and zero below.
        letter += (25 - value) >> 31 & 6
        letter -= (51 - value) >> 31 & 75
        letter -= (61 - value) >> 31 & 15
        letter += (62 - value) >> 31 & 3
        return UInt8(truncatingIfNeeded: letter)
    }
}
