package import SecretMemory

/// Base64 (RFC 4648), without lookup tables and branches that depend on the data: the time depends only on the sizes.
package enum Base64 {
    /// The accepted form of a text.
    package enum Form: Sendable {
        /// Section 4: `+` and `/`, with padding.
        case standard
        /// Section 5, base64url: `-` and `_`, without padding.
        case url
        /// Both alphabets, with or without padding.
        case any
    }

    /// The size of `count` encoded bytes, with padding.
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

    /// Encodes bytes, with padding. Not for secrets, because a `String` is not wiped.
    package static func text(of bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: size(encoding: bytes.count))
        var elements = text.mutableSpan
        var output = unsafe elements.mutableBytes
        unsafe encode(bytes.span.bytes, into: &output)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes a secret, with padding, as ASCII in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func text(ofSecret secret: borrowing SecretBytes) throws -> SecretBytes {
        var text = try SecretBytes(count: size(encoding: secret.count))
        secret.withBytes { bytes in text.withMutableBytes { encode(bytes, into: &$0) } }
        return text
    }

    /// Encodes bytes in base64url. Not for secrets, because a `String` is not wiped.
    package static func urlText(of bytes: [UInt8]) -> String {
        let letters = text(of: bytes).utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: letters.map(urlLetter), as: UTF8.self)
    }

    /// Encodes a secret in base64url, as ASCII in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func urlText(ofSecret secret: borrowing SecretBytes) throws -> SecretBytes {
        var text = try text(ofSecret: secret)
        // Only whole groups of three bytes have no padding.
        let padding = (3 - secret.count % 3) % 3
        text.keep(count: text.count - padding)
        text.withMutableBytes { span in
            for offset in 0..<span.byteCount {
                let letter = unsafe span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                span.set(urlLetter(letter), at: offset)
            }
        }
        return text
    }

    /// Decodes a text. Not for secrets, because an array is not wiped.
    ///
    /// - Returns: The bytes; nil for a text of another form, also if unused bits are not zero.
    package static func bytes(of text: String, _ form: Form) -> [UInt8]? {
        let letters = Array(text.utf8)
        let span = unsafe letters.span.bytes
        guard let digits = digits(of: span, form) else { return nil }
        var bytes = [UInt8](repeating: 0, count: digits * 3 / 4)
        var elements = bytes.mutableSpan
        var output = unsafe elements.mutableBytes
        return decode(span.extracting(..<digits), form, into: &output) ? bytes : nil
    }

    /// Decodes a text into guarded memory.
    ///
    /// - Returns: The bytes; nil for a text of another form, also if unused bits are not zero.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func secret(of text: RawSpan, _ form: Form = .any) throws -> SecretBytes? {
        var bytes = try SecretBytes(count: text.byteCount)
        guard decode(text, form, into: &bytes) else { return nil }
        return bytes
    }

    /// Decodes a text into `target`, and shortens `target` to the result. `target` must have at least three quarters of the text's size.
    ///
    /// - Returns: False if the text is not Base64 in this form, or if unused bits of its last letter are not zero.
    package static func decode(
        _ text: RawSpan, _ form: Form, into target: inout SecretBytes
    ) -> Bool {
        guard let digits = digits(of: text, form) else { return false }
        target.keep(count: digits * 3 / 4)
        return target.withMutableBytes { decode(text.extracting(..<digits), form, into: &$0) }
    }

    /// The number of letters before the padding; nil if the size or the padding is invalid in this form.
    private static func digits(of text: RawSpan, _ form: Form) -> Int? {
        var count = text.byteCount
        while form != .url, count > 0, text.byteCount - count < 2,
            text[count - 1] == UInt8(ascii: "=")
        {
            count -= 1
        }
        let isPadded = text.byteCount % 4 == 0
        guard count % 4 != 1, isPadded || form != .standard && count == text.byteCount else {
            return nil
        }
        return count
    }

    /// Decodes letters without padding. `output` has three quarters of their size.
    private static func decode(
        _ letters: RawSpan, _ form: Form, into output: inout MutableRawSpan
    ) -> Bool {
        var group: UInt32 = 0
        var bits: UInt32 = 0
        var written = 0
        // Negative after an invalid letter.
        var fault: Int32 = 0
        for offset in 0..<letters.byteCount {
            let value = value(of: letters[offset], form)
            fault |= value
            group = group << 6 | UInt32(truncatingIfNeeded: value & 0x3F)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.set(UInt8(truncatingIfNeeded: group >> bits), at: written)
                written += 1
                group &= 1 << bits - 1
            }
        }
        return fault >= 0 && group == 0
    }

    /// The value of a letter; -1 for an invalid byte.
    private static func value(of letter: UInt8, _ form: Form) -> Int32 {
        let letter = Int32(letter)
        /// All ones in the range, and zero outside.
        func mask(_ first: Unicode.Scalar, _ last: Unicode.Scalar) -> Int32 {
            let (first, last) = (Int32(first.value), Int32(last.value))
            return ((first - 1 - letter) & (letter - last - 1)) >> 31
        }
        var value: Int32 = -1
        value += mask("A", "Z") & (letter - 64)
        value += mask("a", "z") & (letter - 70)
        value += mask("0", "9") & (letter + 5)
        if form != .url { value += mask("+", "+") & 63 + mask("/", "/") & 64 }
        if form != .standard { value += mask("-", "-") & 63 + mask("_", "_") & 64 }
        return value
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

    /// Converts a letter of Base64 to base64url.
    private static func urlLetter(_ letter: UInt8) -> UInt8 {
        let value = Int32(letter)
        // The exclusive or is 0 only for this letter, so only then the difference is negative and the mask all ones.
        let plus = ((value ^ 0x2B) - 1) >> 31
        let slash = ((value ^ 0x2F) - 1) >> 31
        return UInt8(truncatingIfNeeded: value + plus & 2 + slash & 48)
    }
}
