internal import SecretMemory
internal import TextCoding

/// Base32 (RFC 4648, section 6) with the variations of handwritten secrets.
enum Base32 {
    /// Decodes into guarded memory.
    static func decode(_ text: RawSpan) throws -> SecretBytes {
        var decoded = try SecretBytes(count: text.byteCount * 5 / 8)
        var (count, symbols, bits, bitCount) = (0, 0, UInt32(0), 0)
        var hasEnded = false
        for position in 0..<text.byteCount {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"), 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "=") where symbols > 0:
                hasEnded = true
                continue
            default: break
            }
            guard !hasEnded, let value = value(of: byte) else {
                throw OneTimePasswordError.character(position + 1)
            }
            symbols += 1
            bits = bits << 5 | value
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                let next = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                decoded.withMutableBytes { $0.set(next, at: count) }
                count += 1
            }
        }
        guard symbols > 0 else { throw OneTimePasswordError.noSecret }
        // Five or more remaining bits mean that a symbol is missing or surplus.
        guard bitCount < 5 else { throw OneTimePasswordError.incomplete }
        decoded.keep(count: count)
        return decoded
    }

    /// Decodes the value of a URI parameter. In it, `%3D` and `+` represent `=` and a space.
    static func decode(percentEncoded text: RawSpan) throws -> SecretBytes {
        var plain = try SecretBytes(count: text.byteCount)
        var (count, position) = (0, 0)
        while position < text.byteCount {
            var byte = text[position]
            position += 1
            if byte == UInt8(ascii: "+") { byte = UInt8(ascii: " ") }
            if byte == UInt8(ascii: "%") {
                guard position + 2 <= text.byteCount, let high = hexadecimal(text[position]),
                    let low = hexadecimal(text[position + 1])
                else { throw OneTimePasswordError.parameter("secret") }
                byte = high << 4 | low
                position += 2
            }
            plain.withMutableBytes { $0.set(byte, at: count) }
            count += 1
        }
        plain.keep(count: count)
        return try plain.withBytes { try decode($0) }
    }

    /// Encodes into guarded memory, without padding.
    static func encode(_ bytes: RawSpan) throws -> SecretBytes {
        var text = try SecretBytes(count: (bytes.byteCount * 8 + 4) / 5)
        text.withMutableBytes { text in
            for position in 0..<text.byteCount {
                var symbol: UInt8 = 0
                for bit in (position * 5)..<(position * 5 + 5) {
                    let byte = bit / 8 < bytes.byteCount ? bytes[bit / 8] : 0
                    symbol = symbol << 1 | byte >> UInt8(7 - bit % 8) & 1
                }
                text.set(
                    symbol < 26 ? UInt8(ascii: "A") + symbol : UInt8(ascii: "2") + symbol - 26,
                    at: position)
            }
        }
        return text
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(byte - UInt8(ascii: "2")) + 26
        default: nil
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
